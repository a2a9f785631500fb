// Memory that the child of a launch runs in until its exec: its stack and its launch block.
//
// The child shares the memory of whoever starts it, so that neither of them pays for copying pages (a page fault costs
// more than a system call). A launch block and a stack of its own are all that it writes to; they are given back when
// the exec has put the child into a memory of its own, or when the child has been reaped.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace holdfast::warden {

struct Scratch {
  /// Its last 2 KiB, which is what it uses, share a page with the block.
  static constexpr size_t kStackBytes = 14 * 1024;

  unsigned char* base = nullptr;
  size_t size = 0;

  /// 16-byte aligned; grows down.
  unsigned char* stack_top() const { return base + kStackBytes; }
  unsigned char* block() const { return base + kStackBytes; }
};

/// False: no memory. The usual block finds the kept piece, if it is not in use; its pages are there already.
bool take_scratch(size_t block_size, Scratch& out);
/// Nobody may run in it any more. A Scratch without memory is left alone.
void give_scratch(Scratch& scratch);

}  // namespace holdfast::warden
