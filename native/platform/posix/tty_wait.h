// Who waits for what is typed on a terminal, by what the kernel shows of blocked threads (linux/tty_wait.cc; macOS shows
// nothing, darwin/terminal.cc). Any thread; never blocks on the processes that it looks at. Costs a few small reads from
// /proc for each thread of the processes it is given.
#pragma once
#include <sys/types.h>

#include <vector>

#include "pty.h"

namespace holdfast::posix {

enum class InputWait {
  no,
  yes,     // some thread is blocked in a call that returns as soon as there is input on this terminal
  unseen,  // no thread is seen to wait, and for one of them the kernel would not say (ptrace_scope, no CONFIG_HAVE_ARCH_TRACEHOOK, macOS)
};

/// Looks at those of `members` that are in `group`, which must be the foreground group of the terminal: it makes
/// /dev/tty, which has no number of its own, an alias of this terminal for them. A process that ends meanwhile does not wait.
InputWait input_wait(const TtyIdentity& tty, pid_t group, const std::vector<pid_t>& members);

}  // namespace holdfast::posix
