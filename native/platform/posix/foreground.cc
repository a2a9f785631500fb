#include "foreground.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

namespace holdfast::posix {

pid_t foreground_group(const Terminal& terminal) {
  pid_t group = 0;
  return terminal.foreground(group) == 0 && group > 1 ? group : 0;
}

Foreground find_foreground(const Terminal& terminal, const std::vector<pid_t>& members) {
  const pid_t group = foreground_group(terminal);
  return {group, input_wait(terminal.identity(), group, members)};
}

ForegroundSignal signal_foreground(const Terminal& terminal, pid_t shell, int signal) {
  using Result = ForegroundSignal::Result;
  const pid_t group = foreground_group(terminal);
  if (group == 0) return {};
  if (signal == SIGKILL && group == shell) return {.result = Result::is_shell, .group = group};
  const int error = signal_group_by_handle(terminal, group, signal);
  if (error == 0) return {.result = Result::sent, .group = group};
  if (error != ENOSYS) return {.result = Result::failed, .group = group, .error = error, .syscall = "pidfd_send_signal"};
  // The terminal has just named this group, so it has members, and its number is taken as long as it has any.
  if (::kill(-group, signal) == 0) return {.result = Result::sent, .group = group};
  return {.result = Result::failed, .group = group, .error = errno, .syscall = "kill"};
}

}  // namespace holdfast::posix
