// The exit of a child of this process, which only this child's number is ever waited for.
#pragma once
#include <sys/types.h>

#include <optional>

#include "range.h"

namespace holdfast::posix {

struct ChildExit {
  enum class State {
    running,
    zombie,  // it has exited, and its number cannot be given to anybody else before reap_child()
    reaped,  // it has exited, and its number is free
    lost,    // its status was taken by another part of this process, or SIGCHLD is ignored; its number is free
  } state = State::running;
  int status = 0;  // as wait4 gives it
  /// Where the system tells before the child is reaped.
  std::optional<Usage> usage;
};

/// Looks whether `child` has exited, without reaping it where that can be helped.
ChildExit look_at_child(pid_t child);

/// Ends a zombie. What it has used, where it was still ours to end.
std::optional<Usage> reap_child(pid_t child);

}  // namespace holdfast::posix
