// The process group in a terminal's foreground: who it is, and a signal for it. Any thread.
#pragma once
#include <sys/types.h>

#include <optional>

#include "inspect.h"
#include "terminal.h"

namespace holdfast::linux_os {

struct Foreground {
  pid_t group = 0;                    // 0: none
  std::optional<ProcessInfo> leader;  // of the group, as long as it lives
};

Foreground find_foreground(const Terminal& terminal);

struct ForegroundSignal {
  enum class Result { sent, nobody, is_shell, failed } result = Result::nobody;
  pid_t group = 0;
  int error = 0;
  const char* syscall = "";
};

/// Sends `signal` to the whole group. Refuses to KILL the group of `shell`: that is an end of the terminal, for which the
/// owner is asked.
ForegroundSignal signal_foreground(const Terminal& terminal, pid_t shell, int signal);

}  // namespace holdfast::linux_os
