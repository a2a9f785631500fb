# How the addon finds Node's functions on Windows. An import of node.exe would bind it to a program of that name; a generated
# file with one jump for each function of Node-API takes them from whatever program has loaded it.
execute_process(COMMAND ${HOLDFAST_NODE} ${CMAKE_SOURCE_DIR}/scripts/windows/node-imports.mjs ${CMAKE_BINARY_DIR}/node_imports.c
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} COMMAND_ERROR_IS_FATAL ANY)
target_sources(holdfast PRIVATE ${CMAKE_BINARY_DIR}/node_imports.c)
target_compile_definitions(holdfast_options INTERFACE _WIN32_WINNT=0x0A00 UNICODE _UNICODE)
target_link_libraries(holdfast PRIVATE advapi32)
if(MINGW)
  # Nothing of the compiler's own is needed at run time, and no time of the build is in the file.
  target_link_options(holdfast PRIVATE -static -s -Wl,--no-insert-timestamp -Wl,--dynamicbase,--nxcompat,--high-entropy-va)
endif()
