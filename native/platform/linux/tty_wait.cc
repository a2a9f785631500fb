#include "platform/posix/tty_wait.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>

#include "blocked_call.h"
#include "platform/posix/processes.h"
#include "platform/posix/descriptors.h"

namespace holdfast::posix {

namespace {

using linux_os::BlockedCall;
using linux_os::Processor;
using linux_os::this_processor;

// A program may poll more descriptors than this; its terminal is among the first in every one that is known.
constexpr std::uint64_t kMostPolled = 4096;
constexpr std::uint64_t kMostSelected = 65536;

/// One thread. Its own descriptors, because a thread may have left the table of its process (unshare CLONE_FILES).
class Thread {
 public:
  Thread(const TtyIdentity& tty, pid_t pid, pid_t tid) : tty_(tty) {
    snprintf(directory_, sizeof directory_, "/proc/%d/task/%d", static_cast<int>(pid), static_cast<int>(tid));
  }

  InputWait look() {
    char line[512];
    const int error = read("syscall", line, sizeof line);
    if (error == ENOENT) return still_there() ? InputWait::unseen : InputWait::no;
    if (error != 0) return error == ESRCH ? InputWait::no : InputWait::unseen;
    const BlockedCall call = parse_blocked_call(line, this_processor());
    switch (call.kind) {
      case BlockedCall::Kind::other: return InputWait::no;
      case BlockedCall::Kind::read: return verdict(is_tty(call.fd));
      case BlockedCall::Kind::select: return verdict(selects(call.address, call.count));
      case BlockedCall::Kind::poll: return verdict(polls(call.address, call.count));
      case BlockedCall::Kind::epoll: return verdict(waits_in_set(call.fd));
      case BlockedCall::Kind::restarted: return verdict(sleeps_in_poll() && polls(call.address, call.count));
    }
    return InputWait::no;
  }

 private:
  static InputWait verdict(bool waits) { return waits ? InputWait::yes : InputWait::no; }

  const char* path(const char* name) {
    snprintf(path_, sizeof path_, "%s/%s", directory_, name);
    return path_;
  }

  bool still_there() {
    struct stat facts;
    return ::stat(directory_, &facts) == 0;
  }

  // 0 and a string, or an errno.
  int read(const char* name, char* buffer, std::size_t size) {
    Fd file(::open(path(name), O_RDONLY | O_CLOEXEC));
    if (!file) return errno;
    std::size_t have = 0;
    while (have < size - 1) {
      const ssize_t n = ::read(file.get(), buffer + have, size - 1 - have);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return errno;
      if (n == 0) break;
      have += static_cast<std::size_t>(n);
    }
    buffer[have] = '\0';
    return 0;
  }

  bool is_tty(int fd) {
    if (fd < 0) return false;
    char name[32];
    snprintf(name, sizeof name, "fd/%d", fd);
    struct stat facts;
    if (::stat(path(name), &facts) != 0 || !S_ISCHR(facts.st_mode)) return false;
    if (facts.st_rdev == makedev(5, 0)) return true;  // /dev/tty
    return facts.st_rdev == tty_.device && facts.st_dev == tty_.filesystem && facts.st_ino == tty_.inode;
  }

  bool read_memory(std::uint64_t address, void* to, std::size_t size) {
    if (address == 0 || address > INT64_MAX) return false;
    Fd memory(::open(path("mem"), O_RDONLY | O_CLOEXEC));
    if (!memory) return false;
    ssize_t n;
    do n = ::pread(memory.get(), to, size, static_cast<off_t>(address));
    while (n < 0 && errno == EINTR);
    return n == static_cast<ssize_t>(size);
  }

  // The kernel has copied set and array at the call and writes them back at its end: until then they are as they were given.
  bool selects(std::uint64_t address, std::uint64_t count) {
    constexpr std::uint64_t kBits = sizeof(unsigned long) * 8;
    if (count == 0 || count > kMostSelected) return false;
    std::vector<unsigned long> words((count + kBits - 1) / kBits);
    if (!read_memory(address, words.data(), words.size() * sizeof(unsigned long))) return false;
    for (std::uint64_t fd = 0; fd < count; fd++) {
      if ((words[fd / kBits] >> (fd % kBits) & 1) != 0 && is_tty(static_cast<int>(fd))) return true;
    }
    return false;
  }

  bool polls(std::uint64_t address, std::uint64_t count) {
    if (count == 0 || count > kMostPolled) return false;
    std::vector<pollfd> entries(count);
    if (!read_memory(address, entries.data(), entries.size() * sizeof(pollfd))) return false;
    return std::any_of(entries.begin(), entries.end(),
                       [&](const pollfd& one) { return (one.events & (POLLIN | POLLRDNORM)) != 0 && is_tty(one.fd); });
  }

  // A line for each descriptor in the set: "tfd:        0 events:       19 data: …".
  bool waits_in_set(int set) {
    char name[32];
    snprintf(name, sizeof name, "fdinfo/%d", set);
    FILE* file = ::fopen(path(name), "re");
    if (file == nullptr) return false;
    char line[256];
    bool found = false;
    while (!found && ::fgets(line, sizeof line, file) != nullptr) {
      int fd;
      unsigned events;
      if (sscanf(line, "tfd: %d events: %x", &fd, &events) == 2) found = (events & (EPOLLIN | EPOLLRDNORM)) != 0 && is_tty(fd);
    }
    ::fclose(file);
    return found;
  }

  // A poll that was stopped and continued shows as restart_syscall, and so do a sleep and a futex with a time limit.
  bool sleeps_in_poll() {
    char where[128];
    return read("wchan", where, sizeof where) == 0 && strstr(where, "poll") != nullptr;
  }

  const TtyIdentity& tty_;
  char directory_[64];
  char path_[96];
};

template <typename F>
void each_thread(pid_t pid, F use) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/task", static_cast<int>(pid));
  DIR* entries = ::opendir(path);
  if (entries == nullptr) return;
  while (const dirent* entry = ::readdir(entries)) {
    const long tid = strtol(entry->d_name, nullptr, 10);
    if (tid > 0 && !use(static_cast<pid_t>(tid))) break;
  }
  ::closedir(entries);
}

InputWait process_waits(const TtyIdentity& tty, const ProcessInfo& info) {
  // Stopped: whatever it was blocked in, it takes no input now.
  if (info.state == 'T' || info.state == 't') return InputWait::no;
  if (info.threads <= 1) return Thread(tty, info.pid, info.pid).look();
  InputWait answer = InputWait::no;
  each_thread(info.pid, [&](pid_t tid) {
    const InputWait one = Thread(tty, info.pid, tid).look();
    if (one != InputWait::no) answer = one;
    return answer != InputWait::yes;
  });
  return answer;
}

}  // namespace

InputWait input_wait(const TtyIdentity& tty, pid_t group, const std::vector<pid_t>& members) {
  if (group <= 0 || this_processor() == Processor::other) return InputWait::no;
  InputWait answer = InputWait::no;
  for (const pid_t pid : members) {
    ProcessInfo info;
    if (!read_stat(pid, info) || info.group != group || is_zombie(info)) continue;
    const InputWait one = process_waits(tty, info);
    if (one == InputWait::yes) return one;
    if (one == InputWait::unseen) answer = one;
  }
  return answer;
}

}  // namespace holdfast::posix
