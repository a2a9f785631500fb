# holdfast_engine: everything that knows no Node, once for the addon and for the native tests.
# holdfast: the addon itself, build/Release/holdfast.node under cmake-js.
holdfast_sources(HOLDFAST_ENGINE_SOURCES core_sources)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  holdfast_sources(posix posix_sources)
  holdfast_sources(linux linux_sources)
  list(APPEND HOLDFAST_ENGINE_SOURCES ${posix} ${linux} ${HOLDFAST_WARDEN_IMAGE})
elseif(APPLE)
  holdfast_sources(posix posix_sources)
  holdfast_sources(darwin darwin_sources)
  list(APPEND HOLDFAST_ENGINE_SOURCES ${posix} ${darwin})
elseif(WIN32)
  holdfast_sources(windows windows_sources)
  list(APPEND HOLDFAST_ENGINE_SOURCES ${windows})
endif()
add_library(holdfast_engine OBJECT ${HOLDFAST_ENGINE_SOURCES})
target_link_libraries(holdfast_engine PRIVATE holdfast_options)
set_target_properties(holdfast_engine PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)

# cmake-js says where Node's headers are. Elsewhere they come from npm: the addon uses nothing but Node-API.
if(NOT CMAKE_JS_INC)
  find_program(HOLDFAST_NODE NAMES node nodejs REQUIRED)
  execute_process(COMMAND ${HOLDFAST_NODE} -p "require('node-api-headers').include_dir"
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE CMAKE_JS_INC OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
endif()
find_program(HOLDFAST_NODE NAMES node nodejs REQUIRED)
execute_process(COMMAND ${HOLDFAST_NODE} -p "require('node-addon-api').include_dir"
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE HOLDFAST_ADDON_API OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
get_filename_component(HOLDFAST_ADDON_API "${HOLDFAST_ADDON_API}" ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})

holdfast_sources(HOLDFAST_ADDON_SOURCES addon_sources)
if(WIN32)
  holdfast_sources(host addon_windows_sources)
else()
  holdfast_sources(host addon_posix_sources)
endif()
list(APPEND HOLDFAST_ADDON_SOURCES ${host})
# A bundle crashes the linker of our cross compiler; Node loads a library as well.
if(APPLE AND CMAKE_CROSSCOMPILING)
  set(kind SHARED)
else()
  set(kind MODULE)
endif()
add_library(holdfast ${kind} ${HOLDFAST_ADDON_SOURCES} $<TARGET_OBJECTS:holdfast_engine> ${CMAKE_JS_SRC})
set_target_properties(holdfast PROPERTIES
  PREFIX "" SUFFIX ".node"
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/Release)
target_compile_definitions(holdfast PRIVATE NAPI_VERSION=8 NODE_ADDON_API_CPP_EXCEPTIONS
  # In a worker that is being terminated no call that could run JS succeeds, not even the making of the error that says so;
  # without this node-addon-api ends the whole process then.
  NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS BUILDING_NODE_EXTENSION)
target_include_directories(holdfast SYSTEM PRIVATE ${CMAKE_JS_INC} ${HOLDFAST_ADDON_API})
target_link_libraries(holdfast PRIVATE holdfast_options ${CMAKE_JS_LIB} ${CMAKE_DL_LIBS})
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  # nodelete: Node unmaps an addon when the worker that loaded it ends, under the feet of our threads.
  # gc-sections is left out on purpose: zig's libc++ cache is keyed by link flags, and the version script drops as much.
  target_link_options(holdfast PRIVATE
    -Wl,--version-script=${CMAKE_SOURCE_DIR}/native/exports.map -Wl,-z,nodelete -Wl,-z,noexecstack)
  if(NOT HOLDFAST_SANITIZE)  # a finding without names is of no use
    target_link_options(holdfast PRIVATE $<$<CONFIG:Release>:-s>)
  endif()
  set_property(TARGET holdfast APPEND PROPERTY LINK_DEPENDS ${CMAKE_SOURCE_DIR}/native/exports.map)
endif()
if(APPLE)
  include(cmake/darwin.cmake)
endif()
if(WIN32)
  include(cmake/windows.cmake)
endif()
