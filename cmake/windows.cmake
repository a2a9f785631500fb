# How the addon finds Node's functions on Windows. An import of node.exe would bind it to a program of that name; a generated
# file with one jump for each function of Node-API takes them from whatever program has loaded it.
execute_process(COMMAND ${HOLDFAST_NODE} ${CMAKE_SOURCE_DIR}/scripts/windows/node-imports.mjs ${CMAKE_BINARY_DIR}/node_imports.c
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} COMMAND_ERROR_IS_FATAL ANY)
target_sources(holdfast PRIVATE ${CMAKE_BINARY_DIR}/node_imports.c)
target_compile_definitions(holdfast_options INTERFACE UNICODE _UNICODE)
target_link_libraries(holdfast PRIVATE advapi32)

# What tells a Job of Ctrl-C: a program of its own beside the addon. Of the windows subsystem, so that no console is made for it.
holdfast_sources(interrupt interrupt_sources)
add_executable(holdfast-interrupt WIN32 ${interrupt})
set_target_properties(holdfast-interrupt PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/Release)
target_link_libraries(holdfast-interrupt PRIVATE holdfast_options)
set(programs holdfast-interrupt)
if(HOLDFAST_WINDOWS_TESTS)
  add_executable(holdfast-probe test/windows/fixtures/probe.cc)
  add_executable(holdfast-suspended test/windows/fixtures/suspended.cc $<TARGET_OBJECTS:holdfast_engine>)
  foreach(program holdfast-probe holdfast-suspended)
    target_link_libraries(${program} PRIVATE holdfast_options advapi32 user32 shell32)
    set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/Release)
    list(APPEND programs ${program})
  endforeach()
endif()
if(ZIG_TARGET)
  # zig defines the version of Windows by itself, links statically and writes no time of the build.
  foreach(target holdfast ${programs})
    target_link_options(${target} PRIVATE -s)  # else it would name the folder of the build
  endforeach()
else()
  target_compile_definitions(holdfast_options INTERFACE _WIN32_WINNT=0x0A00)
  if(MINGW)
    # Nothing of the compiler's own is needed at run time, and no time of the build is in the file.
    foreach(target holdfast ${programs})
      target_link_options(${target} PRIVATE -static -s -Wl,--no-insert-timestamp -Wl,--dynamicbase,--nxcompat,--high-entropy-va)
    endforeach()
  endif()
endif()
