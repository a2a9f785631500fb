#include "host_state.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <iterator>
#include <string_view>

namespace holdfast::linux_os {

namespace {

// Not all of /proc/self/status: the memory figures change all the time.
constexpr std::string_view kCredentialLines[] = {"Uid:",    "Gid:",    "Groups:", "CapInh:",    "CapPrm:",
                                                 "CapEff:", "CapBnd:", "CapAmb:", "NoNewPrivs:", "Seccomp:",
                                                 "Seccomp_filters:"};

}  // namespace

int HostStateReader::open() {
  if (status_) return 0;
  status_.reset(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  if (!status_) return errno;
  oom_score_.reset(::open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC));  // optional: some sandboxes hide it
  return 0;
}

void HostStateReader::close() {
  status_.reset();
  oom_score_.reset();
  namespaces_.reset();
}

int HostStateReader::read_status(std::string& credentials, int& umask) const {
  char buffer[8192];
  ssize_t n;
  do n = ::pread(status_.get(), buffer, sizeof buffer, 0);
  while (n < 0 && errno == EINTR);
  if (n < 0) return errno;

  credentials.clear();
  umask = -1;
  std::string_view rest(buffer, static_cast<std::size_t>(n));
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (line.starts_with("Umask:")) {
      umask = static_cast<int>(strtol(std::string(line.substr(6)).c_str(), nullptr, 8));
      continue;
    }
    for (const std::string_view name : kCredentialLines) {
      if (line.starts_with(name)) credentials.append(line).append("\n");
    }
  }
  return 0;
}

void HostStateReader::read_limits(warden::HostState& out, pid_t of) const {
  using State = warden::HostState;
  errno = 0;
  const int nice = ::getpriority(PRIO_PROCESS, static_cast<id_t>(of));
  if (errno == 0) {
    out.nice = nice;
    out.applies |= State::kNice;
  }

  bool all = true;
  static_assert(RLIMIT_NLIMITS <= std::size(State{}.limits), "a new limit needs a place in the protocol");
  for (int i = 0; i < static_cast<int>(RLIMIT_NLIMITS); i++) {
    rlimit limit{};
    if (::getrlimit(static_cast<int>(i), &limit) != 0) all = false;
    out.limits[i] = {limit.rlim_cur, limit.rlim_max};
  }
  if (all) out.applies |= State::kLimits;

  // A machine with more than 1024 processors answers EINVAL and keeps the mask that the warden has.
  memset(out.affinity, 0, sizeof out.affinity);
  if (::syscall(SYS_sched_getaffinity, of, sizeof out.affinity, out.affinity) > 0) out.applies |= State::kAffinity;

  char text[16];
  const ssize_t n = oom_score_ ? ::pread(oom_score_.get(), text, sizeof text - 1, 0) : -1;
  if (n > 0) {
    text[n] = '\0';
    out.oom_score_adj = static_cast<int32_t>(strtol(text, nullptr, 10));
    out.applies |= State::kOomScore;
  }
}

std::string HostStateReader::namespaces() {
  if (!namespaces_) namespaces_.reset(::open("/proc/self/ns", O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::string result;
  for (const char* name : {"user", "pid_for_children", "mnt", "net", "ipc", "uts", "cgroup", "time_for_children"}) {
    // The link's text has the namespace's number in it, and costs a third of what following it would.
    char text[64];
    const ssize_t n = ::readlinkat(namespaces_.get(), name, text, sizeof text);
    result.append(name).append("=").append(text, n > 0 ? static_cast<std::size_t>(n) : 0).append(" ");
  }
  return result;
}

void leave_out_inherited(warden::HostState& state, const warden::HostState& inherited) {
  using State = warden::HostState;
  const std::uint32_t both = state.applies & inherited.applies;
  const auto leave_out = [&](State::Applies what, bool same) {
    if ((both & what) != 0 && same) state.applies &= ~what;
  };
  leave_out(State::kNice, state.nice == inherited.nice);
  leave_out(State::kOomScore, state.oom_score_adj == inherited.oom_score_adj);
  leave_out(State::kLimits, memcmp(state.limits, inherited.limits, sizeof state.limits) == 0);
  leave_out(State::kAffinity, memcmp(state.affinity, inherited.affinity, sizeof state.affinity) == 0);
}

}  // namespace holdfast::linux_os
