#include "raw_mode.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

namespace holdfast::posix {

namespace {

// A process that is not in the terminal's foreground would be stopped by SIGTTOU when it sets the mode, also one that is
// just about to end. With the signal blocked in this thread the mode is set instead.
int set_mode(int fd, int when, const termios& mode) {
  sigset_t background, before;
  sigemptyset(&background);
  sigaddset(&background, SIGTTOU);
  if (const int error = ::pthread_sigmask(SIG_BLOCK, &background, &before)) return error;
  int result;
  do result = ::tcsetattr(fd, when, &mode);
  while (result != 0 && errno == EINTR);
  const int error = result == 0 ? 0 : errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

}  // namespace

int make_raw(int fd, termios& before) {
  if (::tcgetattr(fd, &before) != 0) return errno;
  termios raw = before;
  ::cfmakeraw(&raw);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  // Not TCSADRAIN: it would wait for as long as nobody takes the terminal's output.
  return set_mode(fd, TCSANOW, raw);
}

int restore_mode(int fd, const termios& mode) { return set_mode(fd, TCSANOW, mode); }

}  // namespace holdfast::posix
