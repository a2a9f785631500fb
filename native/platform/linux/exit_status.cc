#include "exit_status.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "platform/posix/processes.h"
#include "pidfd.h"

namespace holdfast::linux_os {

using posix::ProcessInfo;

namespace {

// linux/pidfd.h of Linux 6.15; headers that are older than the kernel do not have it. The number has the size of the
// structure in it, which is the one of its first version.
struct PidfdInfo {
  std::uint64_t mask;
  std::uint64_t cgroup;
  std::uint32_t ids[11];
  std::int32_t exit_code;
};
static_assert(sizeof(PidfdInfo) == 64);
// The type of a request: unsigned long in glibc, int in musl.
template <typename Request>
Request request_of(int (*)(int, Request, ...));
constexpr auto kGetInfo = static_cast<decltype(request_of(&::ioctl))>(_IOWR(0xff, 11, PidfdInfo));
constexpr std::uint64_t kWithExit = 1u << 3;

/// Field 52 of /proc/<pid>/stat, 0 for those who may not know it; there from the death of a process until it is reaped.
int exit_code_of_zombie(pid_t pid) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  posix::Fd file(::open(path, O_RDONLY | O_CLOEXEC));
  char text[1024];
  const ssize_t n = file ? ::read(file.get(), text, sizeof text - 1) : -1;
  if (n <= 0) return 0;
  text[n] = '\0';
  const char* last = strrchr(text, ' ');
  return last == nullptr ? 0 : atoi(last);
}

}  // namespace

ExitStatus::ExitStatus(pid_t pid) : pid_(pid) {
  ProcessInfo info;
  if (read_stat(pid, info)) start_time_ = info.start_time;
  pidfd_.reset(open_pidfd(pid));
}

std::optional<int> ExitStatus::get() const {
  // Reaped: the kernel remembers it as long as somebody holds a pidfd.
  PidfdInfo info{};
  info.mask = kWithExit;
  if (pidfd_ && ::ioctl(pidfd_.get(), kGetInfo, &info) == 0 && (info.mask & kWithExit) != 0) return info.exit_code;
  // Not reaped yet by whoever is its parent now. An exit code of 0 is also what is shown to those who may not know it.
  ProcessInfo now;
  if (!read_stat(pid_, now) || now.start_time != start_time_ || !is_zombie(now)) return std::nullopt;
  const int code = exit_code_of_zombie(pid_);
  return code != 0 ? std::optional<int>(code) : std::nullopt;
}

}  // namespace holdfast::linux_os
