// The child's side of a launch: from the clone to the exec.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "protocol.h"

struct rlimit64;

namespace holdfast::warden {

/// Descriptors of a launch, -1 where there is none. Whoever holds the struct owns them.
struct LaunchFds {
  int block = -1;
  int stdio[3] = {-1, -1, -1};
  int control = -1;
  int channel = -1;  // of a supervisor

  void close();
};

struct ChildPlan {
  LaunchFds fds;
  unsigned char* block;  // memory for the launch block, of block_size bytes
  uint32_t block_size;
  int status;  // write end of the status pipe
  int leaf;    // directory of a leaf that the child must enter by itself, -1 when it is where it belongs
  const struct rlimit64* own_descriptors;  // RLIMIT_NOFILE before the warden raised its own
};

/// A launch block, checked and with pointers instead of offsets.
struct Program {
  const char* path;
  const char* cwd;
  char** arguments;  // arguments[-1] is the spare slot
  char** environment;
  bool terminal;  // stdin becomes the controlling terminal
  const HostState* state;
};

/// Turns the offsets of a block into pointers in place. False when anything points outside of the block or is not
/// terminated. Pure: any bytes are allowed; `block` is 8-byte aligned and `size` bytes long.
bool relocate(unsigned char* block, size_t size, Program& program);

/// Runs in the child, which may share its memory with the warden: writes to nothing but its stack and plan.block. Never
/// returns: sets everything up and executes the program, or writes a ChildFailure and
/// exits with 127.
[[noreturn]] void become(const ChildPlan& plan);

}  // namespace holdfast::warden
