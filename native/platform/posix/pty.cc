#include "pty.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

namespace holdfast::posix {

namespace {

// What a login gives, with characters that are erased as a whole (IUTF8). The kernel's own default lacks a few of these.
termios login_settings() {
  termios settings{};
  settings.c_iflag = BRKINT | ICRNL | IXON | IXANY | IMAXBEL;
#ifdef IUTF8
  settings.c_iflag |= IUTF8;
#endif
  settings.c_oflag = OPOST | ONLCR;
  settings.c_cflag = CREAD | CS8 | HUPCL;
  settings.c_lflag = ISIG | ICANON | IEXTEN | ECHO | ECHOE | ECHOK | ECHOKE | ECHOCTL;
  for (cc_t& character : settings.c_cc) character = _POSIX_VDISABLE;
  const auto control = [](char letter) { return static_cast<cc_t>(letter & 0x1f); };
  settings.c_cc[VINTR] = control('C');
  settings.c_cc[VQUIT] = control('\\');
  settings.c_cc[VERASE] = 0x7f;
  settings.c_cc[VKILL] = control('U');
  settings.c_cc[VEOF] = control('D');
  settings.c_cc[VSTART] = control('Q');
  settings.c_cc[VSTOP] = control('S');
  settings.c_cc[VSUSP] = control('Z');
#ifdef VDSUSP
  settings.c_cc[VDSUSP] = control('Y');
#endif
  settings.c_cc[VREPRINT] = control('R');
  settings.c_cc[VDISCARD] = control('O');
  settings.c_cc[VWERASE] = control('W');
  settings.c_cc[VLNEXT] = control('V');
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  ::cfsetispeed(&settings, B38400);
  ::cfsetospeed(&settings, B38400);
  return settings;
}

int open_master(Fd& out, const char*& syscall) {
  syscall = "posix_openpt";
#ifdef __linux__
  out.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!out) return errno;
#else
  // Flags beyond the first two are refused here. Our own launches close everything, so only a foreign fork could see it.
  out.reset(::posix_openpt(O_RDWR | O_NOCTTY));
  if (!out) return errno;
  ::fcntl(out.get(), F_SETFD, FD_CLOEXEC);
  if (const int error = set_nonblocking(out.get())) return error;
  // Needs no SIGCHLD handling where devpts sets owner and mode, and on Linux it is not called at all.
  syscall = "grantpt";
  if (::grantpt(out.get()) != 0) return errno;
#endif
  syscall = "unlockpt";
  return ::unlockpt(out.get()) == 0 ? 0 : errno;
}

int open_slave(int master, Fd& out, const char*& syscall) {
  syscall = "open";
#ifdef TIOCGPTPEER
  // By the master itself (Linux 4.13): a path may lead into another devpts, in a container or a changed mount namespace.
  out.reset(::ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (out) return 0;
  if (errno == EMFILE || errno == ENFILE) return errno;
#endif
  char path[64];
  if (const int error = slave_path(master, path, sizeof path)) return error;
  out.reset(::open(path, O_RDWR | O_NOCTTY | O_CLOEXEC));
  return out ? 0 : errno;
}

}  // namespace

int slave_path(int master, char* to, std::size_t size) {
#ifdef __linux__
  return ::ptsname_r(master, to, size);
#else
  // ptsname() keeps its answer in one buffer for all threads; this is the call behind it.
  char name[128];
  if (::ioctl(master, TIOCPTYGNAME, name) != 0) return errno;
  return static_cast<std::size_t>(snprintf(to, size, "%s", name)) < size ? 0 : ENAMETOOLONG;
#endif
}

int open_pty(TerminalSize size, Pty& out, const char*& syscall) {
  Pty made;
  if (const int error = open_master(made.master, syscall)) return error;
  if (const int error = open_slave(made.master.get(), made.slave, syscall)) return error;
  const termios settings = login_settings();
  syscall = "tcsetattr";
  if (::tcsetattr(made.slave.get(), TCSANOW, &settings) != 0) return errno;
  syscall = "ioctl TIOCSWINSZ";
  // On the slave: some systems (macOS) refuse it on a master whose slave was never opened.
  if (const int error = resize_pty(made.slave.get(), size)) return error;
  out = std::move(made);
  return 0;
}

int identify_tty(int slave, TtyIdentity& out) {
  struct stat facts;
  if (::fstat(slave, &facts) != 0) return errno;
  if (!S_ISCHR(facts.st_mode)) return ENOTTY;
  out = {facts.st_rdev, facts.st_dev, facts.st_ino};
  return 0;
}

int resize_pty(int master, TerminalSize size) {
  winsize window{};
  window.ws_row = size.rows;
  window.ws_col = size.cols;
  return ::ioctl(master, TIOCSWINSZ, &window) == 0 ? 0 : errno;
}

int foreground_group(int master, pid_t& group) {
  group = 0;
  const pid_t found = ::tcgetpgrp(master);
  if (found < 0) return errno == ENOTTY ? 0 : errno;  // ENOTTY: nobody's controlling terminal any more
  group = found;
  return 0;
}

}  // namespace holdfast::posix
