// Raw mode of a terminal that somebody else owns: the user's own, while a program on another terminal is shown on it.
#pragma once
#include <termios.h>

namespace holdfast::posix {

/// Passes every byte in both directions as it is, and keeps in `before` what the mode was. 0 or an errno; ENOTTY.
int make_raw(int fd, termios& before);

/// 0 or an errno. What was typed ahead stays for whoever reads next.
int restore_mode(int fd, const termios& mode);

}  // namespace holdfast::posix
