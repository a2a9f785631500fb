// The four functions that a compiler calls without being asked to. Byte loops that the compiler may not turn back into
// calls of themselves.
#ifndef HOLDFAST_WARDEN_HOSTED
#include <stddef.h>

#ifdef __clang__
#define HOLDFAST_NO_IDIOM __attribute__((no_builtin))
#else
#define HOLDFAST_NO_IDIOM __attribute__((optimize("no-tree-loop-distribute-patterns")))
#endif

extern "C" {

HOLDFAST_NO_IDIOM void* memcpy(void* __restrict to, const void* __restrict from, size_t size) {
  auto* target = static_cast<unsigned char*>(to);
  const auto* source = static_cast<const unsigned char*>(from);
  while (size-- != 0) *target++ = *source++;
  return to;
}

HOLDFAST_NO_IDIOM void* memmove(void* to, const void* from, size_t size) {
  auto* target = static_cast<unsigned char*>(to);
  const auto* source = static_cast<const unsigned char*>(from);
  if (target <= source) {
    while (size-- != 0) *target++ = *source++;
  } else {
    while (size-- != 0) target[size] = source[size];
  }
  return to;
}

HOLDFAST_NO_IDIOM void* memset(void* to, int value, size_t size) {
  auto* target = static_cast<unsigned char*>(to);
  while (size-- != 0) *target++ = static_cast<unsigned char>(value);
  return to;
}

HOLDFAST_NO_IDIOM int memcmp(const void* a, const void* b, size_t size) {
  const auto* left = static_cast<const unsigned char*>(a);
  const auto* right = static_cast<const unsigned char*>(b);
  for (; size != 0; --size, ++left, ++right) {
    if (*left != *right) return *left < *right ? -1 : 1;
  }
  return 0;
}

}  // extern "C"
#endif
