// Who waits for what is typed on a terminal, by what the kernel shows of blocked threads. Any thread; never blocks on
// the processes that it looks at. Costs a few small reads from /proc for each thread of the processes it is given.
#pragma once
#include <sys/types.h>

#include <vector>

namespace holdfast::linux_os {

/// A terminal as fstat(2) shows its slave. The device number alone could also be that of a slave in another mount of
/// devpts: each mount counts from zero.
struct TtyIdentity {
  dev_t device = 0;      // st_rdev
  dev_t filesystem = 0;  // st_dev
  ino_t inode = 0;
};

/// 0 or an errno; ENOTTY for what is no character device.
int identify_tty(int slave, TtyIdentity& out);

enum class InputWait {
  no,
  yes,     // some thread is blocked in a call that returns as soon as there is input on this terminal
  unseen,  // no thread is seen to wait, and for one of them the kernel would not say (ptrace_scope, no CONFIG_HAVE_ARCH_TRACEHOOK)
};

/// Looks at those of `members` that are in `group`, which must be the foreground group of the terminal: it makes
/// /dev/tty, which has no number of its own, an alias of this terminal for them. A process that ends meanwhile does not wait.
InputWait input_wait(const TtyIdentity& tty, pid_t group, const std::vector<pid_t>& members);

}  // namespace holdfast::linux_os
