// The system's half of a terminal: a console without a window whose keyboard and screen are two pipes.
#pragma once
#include <cstdint>

#include "base.h"

namespace holdfast::windows {

/// Characters.
struct TerminalSize {
  std::uint16_t rows = 0, cols = 0;
};

class PseudoConsole {
 public:
  PseudoConsole() = default;
  ~PseudoConsole() { close(); }
  PseudoConsole(const PseudoConsole&) = delete;
  PseudoConsole& operator=(const PseudoConsole&) = delete;

  /// `input` is written to, `output` is read; both are overlapped and the caller's. 0 or a Windows error; `call` has failed.
  DWORD open(TerminalSize size, Handle& input, Handle& output, const char*& call);
  /// What a process is born on; null when it is closed.
  void* get() const { return console_; }
  DWORD resize(TerminalSize size);
  /// Who is on it is told that it closes, as by the X of a window. Returns at once: the system waits for them, and for
  /// somebody who reads the output, which must not be waited for by a thread of ours.
  void close();

 private:
  void* console_ = nullptr;
};

}  // namespace holdfast::windows
