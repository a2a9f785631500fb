# holdfast_options: what the addon and the native tests are compiled with. The warden has flags of its own.
add_library(holdfast_options INTERFACE)
target_include_directories(holdfast_options INTERFACE ${CMAKE_SOURCE_DIR}/native)
if(MSVC)
  target_compile_options(holdfast_options INTERFACE /utf-8 /W4 $<$<BOOL:${HOLDFAST_WERROR}>:/WX>)
else()
  target_compile_options(holdfast_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion $<$<BOOL:${HOLDFAST_WERROR}>:-Werror> -pthread
    # g++ 12 warns falsely of "x" + std::string (GCC bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
  target_link_options(holdfast_options INTERFACE -pthread)
  if(HOLDFAST_SANITIZE)
    # -O1: under a sanitizer -O2 takes a compiler twice as long and finds no more.
    target_compile_options(holdfast_options INTERFACE
      -fsanitize=${HOLDFAST_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1 -O1)
    target_link_options(holdfast_options INTERFACE -fsanitize=${HOLDFAST_SANITIZE})
  endif()
endif()
