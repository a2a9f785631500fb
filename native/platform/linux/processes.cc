#include "platform/posix/processes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <map>

#include "platform/posix/descriptors.h"
#include "pidfd.h"

namespace holdfast::posix {

namespace {

ssize_t read_proc(pid_t pid, const char* name, char* buffer, std::size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", static_cast<int>(pid), name);
  Fd file(::open(path, O_RDONLY | O_CLOEXEC));
  if (!file) return -1;
  // A read may give less than there is, and half a line would be taken for a process that is gone.
  std::size_t have = 0;
  while (have < size - 1) {
    const ssize_t n = ::read(file.get(), buffer + have, size - 1 - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  buffer[have] = '\0';
  return static_cast<ssize_t>(have);
}

// False and errno: the directory cannot be read, or not to its end.
template <typename F>
bool each_number(const char* directory, F use) {
  DIR* entries = ::opendir(directory);
  if (entries == nullptr) return false;
  int error = 0;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(entries);
    if (entry == nullptr) {
      error = errno;
      break;
    }
    const long number = strtol(entry->d_name, nullptr, 10);
    if (number > 0) use(static_cast<pid_t>(number));
  }
  ::closedir(entries);
  errno = error;
  return error == 0;
}

// False: this kernel shows no children (CONFIG_PROC_CHILDREN), or the process is gone.
bool children_of(pid_t pid, std::vector<pid_t>& out) {
  char tasks[64];
  snprintf(tasks, sizeof tasks, "/proc/%d/task", static_cast<int>(pid));
  bool readable = false;
  each_number(tasks, [&](pid_t thread) {
    char path[96];
    snprintf(path, sizeof path, "%s/%d/children", tasks, static_cast<int>(thread));
    FILE* file = ::fopen(path, "re");
    if (file == nullptr) return;
    readable = true;
    int child;
    while (::fscanf(file, "%d", &child) == 1) out.push_back(child);
    ::fclose(file);
  });
  return readable;
}

}  // namespace

bool read_stat(pid_t pid, ProcessInfo& out) {
  char text[1024];
  if (read_proc(pid, "stat", text, sizeof text) <= 0) return false;
  // The name may contain blanks and parentheses: the last ')' ends it.
  const char* after = strrchr(text, ')');
  if (after == nullptr) return false;
  int ppid, group, session;
  unsigned long user, system;
  unsigned long long start;
  long pages;
  const int fields = sscanf(after + 1, " %c %d %d %d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %d %*d %llu %*u %ld",
                            &out.state, &ppid, &group, &session, &user, &system, &out.threads, &start, &pages);
  if (fields != 9) return false;
  out.pid = pid;
  out.ppid = ppid;
  out.group = group;
  out.session = session;
  out.start_time = start;
  static const auto ticks = static_cast<unsigned long>(::sysconf(_SC_CLK_TCK));
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  out.cpu_ms = (user + system) * 1000 / ticks;
  out.rss_bytes = static_cast<std::uint64_t>(pages > 0 ? pages : 0) * page;
  if (out.argv0.empty()) {
    const char* open = strchr(text, '(');
    if (open != nullptr) out.argv0.assign(open + 1, after);
  }
  return true;
}

void read_details(ProcessInfo& info) {
  char text[4096];
  if (read_proc(info.pid, "cmdline", text, sizeof text) > 0 && text[0] != '\0') info.argv0 = text;
}

// By /proc/<pid>/task/*/children, which the kernel may lack: then by a scan of parents.
std::vector<pid_t> descendants(pid_t root) {
  std::vector<pid_t> found;
  if (children_of(root, found)) {
    for (std::size_t i = 0; i < found.size(); i++) children_of(found[i], found);
    return found;
  }
  std::multimap<pid_t, pid_t> by_parent;
  each_number("/proc", [&](pid_t pid) {
    ProcessInfo info;
    if (read_stat(pid, info)) by_parent.emplace(info.ppid, pid);
  });
  found.assign(1, root);
  for (std::size_t i = 0; i < found.size(); i++) {
    const auto [begin, end] = by_parent.equal_range(found[i]);
    for (auto it = begin; it != end; ++it) found.push_back(it->second);
  }
  found.erase(found.begin());
  return found;
}

bool numbers_are_ours() {
  char text[16] = {};
  errno = 0;
  return ::readlink("/proc/self", text, sizeof text - 1) > 0 && strtol(text, nullptr, 10) == ::getpid();
}

bool each_process(const std::function<void(ProcessInfo&)>& use) {
  bool complete = true;
  const bool listed = each_number("/proc", [&](pid_t pid) {
    ProcessInfo info;
    errno = 0;
    if (read_stat(pid, info)) {
      use(info);
    } else {
      complete = complete && !may_be_there(errno);
    }
  });
  return listed ? complete : !may_be_there(errno);
}

std::string read_environment(pid_t pid, bool& complete) {
  constexpr std::size_t kMost = 4 << 20;  // an environment can be larger only where the stack limit was raised
  std::string text;
  Fd file(::open(("/proc/" + std::to_string(pid) + "/environ").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {  // gone, or with other rights than ours
    complete = complete && !may_be_there(errno);
    return text;
  }
  char buffer[8192];
  while (text.size() < kMost) {
    const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) complete = complete && !may_be_there(errno);
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

// A number is only as good as its start time, looked at again behind a pidfd.
void signal_exactly(const ProcessInfo& process, int signal) {
  if (process.pid <= 1) return;
  Fd handle(linux_os::open_pidfd(process.pid));
  ProcessInfo now;
  if (!read_stat(process.pid, now) || now.start_time != process.start_time) return;
  if (handle) {
    linux_os::send_signal(handle.get(), signal, 0);
  } else {
    ::kill(process.pid, signal);
  }
}

}  // namespace holdfast::posix
