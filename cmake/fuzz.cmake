# fuzz-<name>: each test/fuzz/*.cc with libFuzzer, AddressSanitizer and UBSan, against the engine's pure parts and the
# warden's duties compiled hosted. Needs clang (scripts/fuzz.mjs).
set(fuzzed -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1 -O1)
add_library(holdfast_fuzz_options INTERFACE)
target_include_directories(holdfast_fuzz_options INTERFACE ${CMAKE_SOURCE_DIR}/native ${CMAKE_SOURCE_DIR})
target_compile_definitions(holdfast_fuzz_options INTERFACE HOLDFAST_WARDEN_HOSTED)
target_compile_options(holdfast_fuzz_options INTERFACE -Wall -Wextra -pthread -fsanitize=fuzzer-no-link ${fuzzed})
target_link_options(holdfast_fuzz_options INTERFACE -pthread -fsanitize=fuzzer,address,undefined)

holdfast_sources(core core_sources)
add_library(holdfast_fuzzed STATIC ${core} ${HOLDFAST_WARDEN_SOURCES}
  native/platform/linux/blocked_call.cc native/platform/posix/range.cc native/platform/linux/warden_events.cc
  native/platform/posix/descriptors.cc test/explore/virtual_reactor.cc)
target_link_libraries(holdfast_fuzzed PRIVATE holdfast_fuzz_options)

file(GLOB targets CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/fuzz/*.cc)
foreach(target ${targets})
  get_filename_component(name ${target} NAME_WE)
  add_executable(fuzz-${name} ${target})
  if(name STREQUAL "spill")
    # On real threads, with the calls of the file handed over to the target.
    target_sources(fuzz-spill PRIVATE ${core} native/platform/posix/collector.cc native/platform/posix/reactor.cc native/platform/linux/poller.cc
      native/platform/posix/threads.cc native/platform/posix/descriptors.cc native/platform/posix/spill_file.cc)
    target_link_options(fuzz-spill PRIVATE
      -Wl,--wrap=openat,--wrap=write,--wrap=close,--wrap=mkdtemp,--wrap=unlink)
    target_link_libraries(fuzz-spill PRIVATE holdfast_fuzz_options)
  else()
    target_link_libraries(fuzz-${name} PRIVATE holdfast_fuzzed holdfast_fuzz_options)
  endif()
  add_dependencies(fuzz-${name} holdfast-warden)
  list(APPEND fuzzers fuzz-${name})
endforeach()
add_custom_target(holdfast-fuzz DEPENDS ${fuzzers})
