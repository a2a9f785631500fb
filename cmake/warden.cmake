# The warden: a static executable without a libc, the same for glibc and musl, and its image as a source of the addon.
holdfast_sources(HOLDFAST_WARDEN_SOURCES warden_sources)
add_executable(holdfast-warden ${HOLDFAST_WARDEN_SOURCES})
set_target_properties(holdfast-warden PROPERTIES
  POSITION_INDEPENDENT_CODE OFF
  RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/Release)
target_include_directories(holdfast-warden PRIVATE ${CMAKE_SOURCE_DIR}/native)
target_compile_options(holdfast-warden PRIVATE
  -Os -ffreestanding -fno-pie -fno-exceptions -fno-rtti -fno-stack-protector
  -fno-unwind-tables -fno-asynchronous-unwind-tables -fno-threadsafe-statics
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion $<$<BOOL:${HOLDFAST_WERROR}>:-Werror>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  target_compile_options(holdfast-warden PRIVATE -fcf-protection=none)
else()
  # Atomics as instructions: the out-of-line helpers live in libgcc.
  target_compile_options(holdfast-warden PRIVATE -mno-outline-atomics)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ turns the loop inside memset into a call of memset, even when freestanding.
  target_compile_options(holdfast-warden PRIVATE -fno-tree-loop-distribute-patterns)
endif()
if(ZIG_TARGET MATCHES "^(.*)-musl$")
  # zig compiles a little differently for each libc, even where none is used: one triple, so that both get the same warden.
  set(triple -target ${CMAKE_MATCH_1}-gnu.2.28)
  target_compile_options(holdfast-warden PRIVATE ${triple})
  target_link_options(holdfast-warden PRIVATE ${triple})
endif()
target_link_options(holdfast-warden PRIVATE
  -nostdlib -nostartfiles -static -no-pie -Wl,--gc-sections -Wl,-z,noexecstack -Wl,--build-id=none -s)

set(HOLDFAST_WARDEN_IMAGE ${CMAKE_BINARY_DIR}/warden_image.cc)
find_program(HOLDFAST_NODE NAMES node nodejs REQUIRED)
add_custom_command(
  OUTPUT ${HOLDFAST_WARDEN_IMAGE}
  COMMAND ${HOLDFAST_NODE} ${CMAKE_SOURCE_DIR}/scripts/embed-warden.mjs
          $<TARGET_FILE:holdfast-warden> ${HOLDFAST_WARDEN_IMAGE}
  DEPENDS holdfast-warden ${CMAKE_SOURCE_DIR}/scripts/embed-warden.mjs
  VERBATIM)
