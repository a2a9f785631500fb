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
  const long mapped = sys::call(__NR_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped < 0 && mapped > -4096) return false;
  out = {reinterpret_cast<unsigned char*>(mapped), size};
  return true;
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
