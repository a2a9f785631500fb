// Launch blocks: whatever the bytes are, what is accepted points into the block only, and every text in it ends there.
#include <cstring>
#include <vector>

#include "fuzz.h"
#include "warden/child.h"

using namespace holdfast::warden;

namespace {

const char* g_begin;
const char* g_end;

void inside(const char* text) {
  PROMISE(text >= g_begin && text < g_end);
  PROMISE(std::memchr(text, 0, static_cast<std::size_t>(g_end - text)) != nullptr);
}

void list_inside(char** list) {
  for (;; list++) {
    PROMISE(reinterpret_cast<char*>(list) >= g_begin && reinterpret_cast<char*>(list + 1) <= g_end);
    if (*list == nullptr) return;
    inside(*list);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  // Memory of exactly this size, so that the sanitizer sees a byte too far.
  std::vector<std::uint64_t> words((size + 7) / 8);
  if (size > 0) std::memcpy(words.data(), bytes, size);
  auto* block = reinterpret_cast<unsigned char*>(words.data());
  g_begin = reinterpret_cast<const char*>(block);
  g_end = g_begin + size;
  Program program = {};
  if (!relocate(block, size, program)) return 0;
  inside(program.path);
  inside(program.cwd);
  PROMISE(program.arguments[-1] == nullptr);
  PROMISE(program.arguments[0] != nullptr);
  list_inside(program.arguments);
  list_inside(program.environment);
  PROMISE(reinterpret_cast<const char*>(program.state) >= g_begin && reinterpret_cast<const char*>(program.state + 1) <= g_end);
  return 0;
}
