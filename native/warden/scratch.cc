#include "scratch.h"

#include "sys.h"

namespace holdfast::warden {

namespace {

constexpr size_t kKeptBytes = 64 * 1024;

// One: more would be memory that an idle warden holds, and launches in a row need no more.
unsigned char* g_kept;

}  // namespace

bool take_scratch(size_t block_size, Scratch& out) {
  const size_t wanted = Scratch::kStackBytes + block_size;
  if (wanted <= kKeptBytes && g_kept != nullptr) {
    out = {g_kept, kKeptBytes};
    g_kept = nullptr;
    return true;
  }
  const size_t size = wanted > kKeptBytes ? wanted : kKeptBytes;
  out = {static_cast<unsigned char*>(sys::map(size, MAP_PRIVATE)), size};
  return out.base != nullptr;
}

void give_scratch(Scratch& scratch) {
  if (scratch.base == nullptr) return;
  const Scratch given = scratch;
  scratch = {};
  if (given.size == kKeptBytes && g_kept == nullptr) {
    g_kept = given.base;
    return;
  }
  sys::call(__NR_munmap, given.base, given.size);
}

}  // namespace holdfast::warden
