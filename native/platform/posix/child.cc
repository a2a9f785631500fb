#include "child.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace holdfast::posix {

namespace {

std::uint64_t microseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1000000u + static_cast<std::uint64_t>(time.tv_usec);
}

Usage usage_of(const rusage& used) {
  Usage usage{.user_us = microseconds(used.ru_utime), .system_us = microseconds(used.ru_stime), .max_rss_kib = 0};
#ifdef __APPLE__
  usage.max_rss_kib = static_cast<std::uint64_t>(used.ru_maxrss) / 1024;  // bytes here
#endif
  // On Linux posix_spawn shares the host's memory until exec, and ru_maxrss remembers it: no figure is better than that one.
  return usage;
}

// si_pid stays 0 where the child is still running.
int wait_without_reaping(pid_t child, siginfo_t& info, [[maybe_unused]] std::optional<Usage>& usage) {
#ifdef __linux__
  rusage used{};
  const int result = static_cast<int>(::syscall(SYS_waitid, P_PID, child, &info, WEXITED | WNOWAIT | WNOHANG, &used));
  usage = usage_of(used);
  return result;
#else
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT | WNOHANG);
#endif
}

// macOS before 13 says of a death by signal no more than that it was one. The rest is known to who reaps.
ChildExit reap_for_status(pid_t child) {
  ChildExit result{.state = ChildExit::State::reaped, .status = 0, .usage = {}};
  rusage used{};
  pid_t found;
  do found = ::wait4(child, &result.status, WNOHANG, &used);
  while (found < 0 && errno == EINTR);
  if (found == child) result.usage = usage_of(used);
  else result.state = found < 0 ? ChildExit::State::lost : ChildExit::State::running;
  return result;
}

}  // namespace

ChildExit look_at_child(pid_t child) {
  ChildExit result;
  siginfo_t info{};
  std::optional<Usage> usage;
  if (wait_without_reaping(child, info, usage) != 0) {
    if (errno != EINTR) result.state = ChildExit::State::lost;
    return result;
  }
  if (info.si_pid == 0) return result;
  if (info.si_code != CLD_EXITED && (info.si_status & 0x7f) == 0) return reap_for_status(child);
  result.state = ChildExit::State::zombie;
  result.status = info.si_code == CLD_EXITED ? (info.si_status & 0xff) << 8 : info.si_status & 0x7f;
  result.usage = usage;
  return result;
}

std::optional<Usage> reap_child(pid_t child) {
  rusage used{};
  pid_t found;
  do found = ::wait4(child, nullptr, WNOHANG, &used);
  while (found < 0 && errno == EINTR);
  return found == child ? std::optional<Usage>(usage_of(used)) : std::nullopt;
}

}  // namespace holdfast::posix
