// What the fuzz targets share.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

/// Ends the run with the input kept, as a sanitizer's finding does.
#define PROMISE(promise)                                                        \
  do {                                                                          \
    if (!(promise)) {                                                           \
      std::fprintf(stderr, "%s:%d: not kept: %s\n", __FILE__, __LINE__, #promise); \
      std::abort();                                                             \
    }                                                                           \
  } while (false)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
