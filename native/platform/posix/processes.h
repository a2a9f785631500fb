// Who is there, and what they are: read from /proc on Linux (linux/processes.cc), from libproc and sysctl on macOS
// (darwin/processes.cc). Any thread.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace holdfast::posix {

struct ProcessInfo {
  pid_t pid = 0, ppid = 0, group = 0, session = 0;
  char state = '?';              // R, S, T (stopped), Z (zombie) … as ps shows it
  std::uint64_t start_time = 0;  // in a unit of the kernel's: with the pid, the identity of a process
  std::uint64_t cpu_ms = 0, rss_bytes = 0;
  int threads = 1;
  std::string argv0;             // the command name where there is no argument vector
};

/// Dead but not reaped. A process whose first thread has ended shows Z as well and lives on in the others.
inline bool is_zombie(const ProcessInfo& info) {
  return info.state == 'X' || (info.state == 'Z' && info.threads <= 1);
}

/// Whether a process that cannot be looked at with this errno may be there all the same: not gone, and not hidden from us for
/// good.
bool may_be_there(int error);

/// False and errno: there is no such process (any more), or it is not shown, or something ran out.
bool read_stat(pid_t pid, ProcessInfo& out);

/// What read_stat() does not tell: the first argument, and on macOS times and memory too. What is not shown stays as it is.
void read_details(ProcessInfo& info);

/// read_stat() and read_details() for each of `pids`; those that are gone or zombies are left out.
std::vector<ProcessInfo> inspect(const std::vector<pid_t>& pids);

/// All living descendants of `root`, without `root`.
std::vector<pid_t> descendants(pid_t root);

/// Whether the numbers that are read here are those of kill(2). They are not in a pid namespace that has kept the /proc of
/// another one: there they name other processes, and must not be used. Nor where there is no /proc.
bool numbers_are_ours();

/// The environment of a process as it was at its start, each entry followed by NUL. Empty: it is gone, or the system does
/// not show it to us; `complete` becomes false where neither is so, and it could not be read.
std::string read_environment(pid_t pid, bool& complete);

/// Calls `use` for each process that is shown, zombies too. False: something could not be read, and somebody may have been
/// missed.
bool each_process(const std::function<void(ProcessInfo&)>& use);

/// Signals a process that is no child of ours, unless its number has been given to another one since. It may be gone, or
/// beyond our rights; the next look tells.
void signal_exactly(const ProcessInfo& process, int signal);

}  // namespace holdfast::posix
