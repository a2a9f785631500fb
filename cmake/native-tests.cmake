# holdfast-native-tests: test/native/*.cc with doctest (Debian: doctest-dev) against the engine and the warden's duties
# compiled hosted. The tests find the real warden through HOLDFAST_WARDEN_BINARY.
find_path(HOLDFAST_DOCTEST doctest/doctest.h REQUIRED)
file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/native/*.cc)
if(NOT tests)
  message(FATAL_ERROR "test/native holds no .cc file")
endif()

add_library(holdfast_hosted_warden OBJECT ${HOLDFAST_WARDEN_SOURCES})
target_compile_definitions(holdfast_hosted_warden PRIVATE HOLDFAST_WARDEN_HOSTED)
target_link_libraries(holdfast_hosted_warden PRIVATE holdfast_options)

add_executable(holdfast-native-tests
  ${tests} $<TARGET_OBJECTS:holdfast_engine> $<TARGET_OBJECTS:holdfast_hosted_warden>)
target_compile_definitions(holdfast-native-tests PRIVATE HOLDFAST_WARDEN_HOSTED)
target_include_directories(holdfast-native-tests SYSTEM PRIVATE ${HOLDFAST_DOCTEST})
target_link_libraries(holdfast-native-tests PRIVATE holdfast_options)
add_dependencies(holdfast-native-tests holdfast-warden)

# holdfast-core-tests: those of native/core alone, for what is slow (valgrind) or needs another compiler (coverage).
add_executable(holdfast-core-tests EXCLUDE_FROM_ALL test/native/main.cc)
foreach(test ${tests})
  get_filename_component(name ${test} NAME_WE)
  string(REGEX REPLACE "_test$" "" name ${name})
  if(EXISTS ${CMAKE_SOURCE_DIR}/native/core/${name}.h)
    target_sources(holdfast-core-tests PRIVATE ${test})
  endif()
endforeach()
holdfast_sources(core core_sources)
target_sources(holdfast-core-tests PRIVATE ${core})
target_include_directories(holdfast-core-tests SYSTEM PRIVATE ${HOLDFAST_DOCTEST})
target_link_libraries(holdfast-core-tests PRIVATE holdfast_options)
if(HOLDFAST_COVERAGE)
  target_compile_options(holdfast-core-tests PRIVATE -O0 -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(holdfast-core-tests PRIVATE -fprofile-instr-generate)
endif()

# holdfast-explore: ranges of the real source on a clock of the test's own, every order of events to a depth.
file(GLOB explore CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/explore/*.cc)
add_executable(holdfast-explore ${explore}
  native/core/drain.cc native/core/escalation.cc native/platform/posix/range.cc native/platform/posix/descriptors.cc)
target_link_libraries(holdfast-explore PRIVATE holdfast_options)

enable_testing()
add_test(NAME explore COMMAND holdfast-explore)
add_test(NAME native COMMAND holdfast-native-tests)
set_property(TEST native PROPERTY ENVIRONMENT HOLDFAST_WARDEN_BINARY=$<TARGET_FILE:holdfast-warden>)
