// Reading /proc: who is there, and what they are. Any thread.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace holdfast::linux_os {

struct ProcessInfo {
  pid_t pid = 0, ppid = 0, group = 0, session = 0;
  char state = '?';              // one letter as in /proc/<pid>/stat
  std::uint64_t start_time = 0;  // clock ticks after boot: with the pid, the identity of a process
  std::uint64_t cpu_ms = 0, rss_bytes = 0;
  int threads = 1;
  std::string argv0;             // the command name where there is no argument vector
};

/// Dead but not reaped. A process whose first thread has ended shows Z as well and lives on in the others.
inline bool is_zombie(const ProcessInfo& info) {
  return info.state == 'X' || (info.state == 'Z' && info.threads <= 1);
}

/// Whether a process whose files cannot be opened or read with this errno may be there all the same: not gone, and not hidden
/// from us for good.
bool may_be_there(int error);

/// False: there is no such process (any more), or /proc does not show it.
bool read_stat(pid_t pid, ProcessInfo& out);

/// read_stat and argv0 for each of `pids`; those that are gone or zombies are left out.
std::vector<ProcessInfo> inspect(const std::vector<pid_t>& pids);

/// All living descendants of `root`, without `root`. By /proc/<pid>/task/*/children, which the kernel may lack: then by a
/// scan of parents.
std::vector<pid_t> descendants(pid_t root);

/// Whether /proc shows this process under its own number. It does not in a pid namespace that has kept the /proc of
/// another one: numbers from there name other processes here, and must not be used. Nor where there is no /proc.
bool proc_is_ours();

/// Calls `use` for each process that /proc shows, zombies too. False: something could not be read, and somebody may have been
/// missed.
bool each_process(const std::function<void(ProcessInfo&)>& use);

}  // namespace holdfast::linux_os
