// Who is in the foreground of a terminal. Windows has no such thing: the top-level process stands for it, and whether anybody
// waits for input is not known.
#pragma once
#include <vector>

#include "terminal.h"

namespace holdfast::windows {

struct Foreground {
  DWORD group = 0;  // 0: none
  enum class Input { no, yes, unseen } input = Input::no;
};

Foreground find_foreground(const Terminal& terminal, const std::vector<DWORD>& members);

struct ForegroundSignal {
  enum class Result { sent, nobody, is_shell, failed } result = Result::nobody;
  DWORD group = 0;
  int error = 0;
  const char* syscall = "";
};

/// SIGINT is Ctrl-C on the keyboard of the terminal; nothing else can be sent.
ForegroundSignal signal_foreground(Terminal& terminal, std::int64_t shell, int signal);

}  // namespace holdfast::windows
