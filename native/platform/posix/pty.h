// A pseudo-terminal: a master, which stays with the host, and a slave, which a command gets as its terminal.
#pragma once
#include <sys/types.h>

#include <cstdint>

#include "descriptors.h"

namespace holdfast::posix {

/// Characters, each 1 to 65535.
struct TerminalSize {
  std::uint16_t rows = 0, cols = 0;
};

struct Pty {
  /// Non-blocking. Whoever has a duplicate of it keeps the terminal from hanging up, so it is never given away.
  Fd master;
  /// Blocking. While it is open here, the end of the last program on the terminal does not show: close it after the launch.
  Fd slave;
};

/// Opens a terminal of that size, with the line discipline that a login gives. 0, or an errno and in `syscall` what
/// failed: ENOSPC when the machine has no terminal left (kernel.pty.max), EMFILE, ENFILE.
int open_pty(TerminalSize size, Pty& out, const char*& syscall);

/// A terminal as fstat(2) shows its slave. The device number alone could also be that of a slave in another mount of
/// devpts: each mount counts from zero.
struct TtyIdentity {
  dev_t device = 0;      // st_rdev
  dev_t filesystem = 0;  // st_dev
  ino_t inode = 0;
};

/// Each returns 0 or an errno; ENOTTY for what is no character device.
int identify_tty(int slave, TtyIdentity& out);
int resize_pty(int master, TerminalSize size);
/// The process group in the foreground; 0 where there is none, or none that this pid namespace can name.
int foreground_group(int master, pid_t& group);
/// Path of the slave.
int slave_path(int master, char* to, std::size_t size);

}  // namespace holdfast::posix
