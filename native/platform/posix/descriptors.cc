#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace holdfast::posix {

int make_pipe(Pipe& out) {
  int fds[2];
#ifdef __linux__
  if (::pipe2(fds, O_CLOEXEC) != 0) return errno;
#else
  // No pipe2 here: between pipe and fcntl another thread's fork could inherit the pair. Our own launches close the
  // range, so only foreign forks can see it.
  if (::pipe(fds) != 0) return errno;
  ::fcntl(fds[0], F_SETFD, FD_CLOEXEC);
  ::fcntl(fds[1], F_SETFD, FD_CLOEXEC);
#endif
  out.read.reset(fds[0]);
  out.write.reset(fds[1]);
  return 0;
}

int make_socket_pair(int type, Fd& ours, Fd& theirs) {
  int fds[2];
#ifdef __linux__
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds) != 0) return errno;
#else
  if (::socketpair(AF_UNIX, type, 0, fds) != 0) return errno;
  ::fcntl(fds[0], F_SETFD, FD_CLOEXEC);
  ::fcntl(fds[1], F_SETFD, FD_CLOEXEC);
#endif
  ours.reset(fds[0]);
  theirs.reset(fds[1]);
  return 0;
}

int open_null(int flags, Fd& out) {
  const int fd = ::open("/dev/null", flags | O_CLOEXEC);
  if (fd < 0) return errno;
  out.reset(fd);
  return 0;
}

int duplicate(int fd, Fd& out) {
  const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) return errno;
  out.reset(copy);
  return 0;
}

int set_nonblocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0) return errno;
  return ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 ? 0 : errno;
}

int never_sigpipe([[maybe_unused]] int fd) {
#ifdef F_SETNOSIGPIPE
  return ::fcntl(fd, F_SETNOSIGPIPE, 1) == 0 ? 0 : errno;
#else
  return 0;
#endif
}

int inherit(int fd, int flags, Fd& out) {
  struct stat info;
  if (::fstat(fd, &info) != 0) return errno;
#ifdef __linux__
  if (S_ISFIFO(info.st_mode) || (S_ISCHR(info.st_mode) && ::isatty(fd) == 1)) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    // Non-blocking only for the open: without a reader a FIFO would keep us waiting for one. The description is ours.
    Fd own(::open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (own) {
      if (::fcntl(own.get(), F_SETFL, flags) != 0) return errno;
      out = std::move(own);
      return 0;
    }
    // No /proc, a terminal of another user (after su), or a FIFO whose reader is gone (ENXIO): share it instead.
    if (errno == EMFILE || errno == ENFILE) return errno;
  }
#else
  (void)flags;
#endif
  if (const int error = duplicate(fd, out)) return error;
  // Shared with the host, which may have made it non-blocking; a program that is not prepared for EAGAIN on its standard
  // output loses what it writes. So it becomes blocking for both, as it does when Node launches a child.
  const int shared = ::fcntl(out.get(), F_GETFL);
  if (shared < 0) return errno;
  if ((shared & O_NONBLOCK) == 0) return 0;
  return ::fcntl(out.get(), F_SETFL, shared & ~O_NONBLOCK) == 0 ? 0 : errno;
}

}  // namespace holdfast::posix
