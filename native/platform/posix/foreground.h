// The process group in a terminal's foreground: who it is, whether it waits for input, and a signal for it. Any thread.
#pragma once
#include <sys/types.h>

#include <vector>

#include "terminal.h"
#include "tty_wait.h"

namespace holdfast::posix {

/// The group in the foreground; 0: none.
pid_t foreground_group(const Terminal& terminal);

struct Foreground {
  pid_t group = 0;  // 0: none
  InputWait input = InputWait::no;
};

/// `members`: of the range that has the terminal.
Foreground find_foreground(const Terminal& terminal, const std::vector<pid_t>& members);

struct ForegroundSignal {
  enum class Result { sent, nobody, is_shell, failed } result = Result::nobody;
  pid_t group = 0;
  int error = 0;
  const char* syscall = "";
};

/// Sends `signal` to the whole group. Refuses to KILL the group of `shell`: that is an end of the terminal, for which the
/// owner is asked.
ForegroundSignal signal_foreground(const Terminal& terminal, pid_t shell, int signal);

/// By a handle on the group's leader, behind which the number cannot change hands. 0 or an errno; ENOSYS where that is not
/// possible: an older kernel, a group whose leader is gone. linux/group_signal.cc, darwin/terminal.cc.
int signal_group_by_handle(const Terminal& terminal, pid_t group, int signal);

}  // namespace holdfast::posix
