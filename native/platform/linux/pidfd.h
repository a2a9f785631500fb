// pidfd_open and pidfd_send_signal, which the oldest C library that we run on does not have.
#pragma once
#include <errno.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

namespace holdfast::linux_os {

/// A descriptor, close-on-exec by itself, or -1 and errno; ENOSYS before Linux 5.3.
inline int open_pidfd(pid_t pid) {
#ifdef SYS_pidfd_open
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
#else
  (void)pid;
  errno = ENOSYS;
  return -1;
#endif
}

/// 0, or -1 and errno.
inline int send_signal(int pidfd, int signal, unsigned flags) {
#ifdef SYS_pidfd_send_signal
  return static_cast<int>(::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, flags));
#else
  (void)pidfd, (void)signal, (void)flags;
  errno = ENOSYS;
  return -1;
#endif
}

}  // namespace holdfast::linux_os
