#include "foreground.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace holdfast::linux_os {

namespace {

pid_t group_of(const Terminal& terminal) {
  pid_t group = 0;
  return terminal.foreground(group) == 0 && group > 1 ? group : 0;
}

// By a handle on the leader (Linux 6.9), behind which the number cannot change hands. -1 and ENOSYS where that is not
// possible: an older kernel, or a group whose leader is gone.
int signal_by_handle(const Terminal& terminal, pid_t group, int signal) {
#if defined(SYS_pidfd_open) && defined(SYS_pidfd_send_signal)
  constexpr unsigned kProcessGroup = 1u << 2;  // PIDFD_SIGNAL_PROCESS_GROUP
  posix::Fd handle(static_cast<int>(::syscall(SYS_pidfd_open, group, 0)));  // close-on-exec by itself
  // The same number in the foreground again, with the handle open: the handle is of that group.
  if (handle && group_of(terminal) == group) {
    if (::syscall(SYS_pidfd_send_signal, handle.get(), signal, nullptr, kProcessGroup) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS && errno != EPERM) return -1;
  }
#else
  (void)terminal, (void)group, (void)signal;
#endif
  errno = ENOSYS;
  return -1;
}

}  // namespace

Foreground find_foreground(const Terminal& terminal, const std::vector<pid_t>& members) {
  const pid_t group = group_of(terminal);
  return {group, input_wait(terminal.identity(), group, members)};
}

ForegroundSignal signal_foreground(const Terminal& terminal, pid_t shell, int signal) {
  using Result = ForegroundSignal::Result;
  const pid_t group = group_of(terminal);
  if (group == 0) return {};
  if (signal == SIGKILL && group == shell) return {.result = Result::is_shell, .group = group};
  if (signal_by_handle(terminal, group, signal) == 0) return {.result = Result::sent, .group = group};
  if (errno != ENOSYS) return {.result = Result::failed, .group = group, .error = errno, .syscall = "pidfd_send_signal"};
  // The terminal has just named this group, so it has members, and its number is taken as long as it has any.
  if (::kill(-group, signal) == 0) return {.result = Result::sent, .group = group};
  return {.result = Result::failed, .group = group, .error = errno, .syscall = "kill"};
}

}  // namespace holdfast::linux_os
