#include "foreground.h"

#include <errno.h>
#include <signal.h>

namespace holdfast::windows {

Foreground find_foreground(const Terminal& terminal, const std::vector<DWORD>&) { return {.group = terminal.process()}; }

ForegroundSignal signal_foreground(Terminal& terminal, std::int64_t, int signal) {
  using Result = ForegroundSignal::Result;
  const DWORD process = terminal.process();
  if (process == 0) return {};
  if (signal != SIGINT) return {.result = Result::failed, .group = process, .error = ENOSYS, .syscall = "signal"};
  std::uint64_t until = 0;
  const int error = terminal.write("\x03", until);
  if (error == EBADF) return {};
  return {.result = Result::sent, .group = process};
}

}  // namespace holdfast::windows
