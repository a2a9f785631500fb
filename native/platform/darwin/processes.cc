#include "platform/posix/processes.h"

#include <errno.h>
#include <libproc.h>
#include <mach/mach_time.h>
#include <signal.h>
#include <sys/proc.h>
#include <sys/sysctl.h>
#include <unistd.h>

#include <algorithm>

#include "core/process_arguments.h"

namespace holdfast::posix {

namespace {

char letter(std::uint32_t status) {
  switch (status) {
    case SIDL: return 'I';
    case SRUN: return 'R';
    case SSLEEP: return 'S';
    case SSTOP: return 'T';
    case SZOMB: return 'Z';
    default: return '?';
  }
}

// Calls `list(buffer, bytes)`, which gives the number of processes that it has written, until the buffer was larger than
// what there is: those who are started meanwhile must not fall off the end.
template <typename List>
bool list_pids(std::vector<pid_t>& pids, List list) {
  std::size_t room = 1024;
  for (;;) {
    pids.resize(room);
    errno = 0;
    const int count = list(pids.data(), static_cast<int>(room * sizeof(pid_t)));
    if (count < 0 || (count == 0 && errno != 0)) {
      pids.clear();
      return false;
    }
    if (static_cast<std::size_t>(count) < room) {
      pids.resize(static_cast<std::size_t>(count));
      return true;
    }
    room *= 2;
  }
}

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  list_pids(children, [pid](pid_t* to, int bytes) { return ::proc_listchildpids(pid, to, bytes); });
  return children;
}

// Empty: gone, or with other rights than ours.
std::string start_of(pid_t pid) {
  int most = 0;
  std::size_t size = sizeof most;
  int largest[] = {CTL_KERN, KERN_ARGMAX};
  if (::sysctl(largest, 2, &most, &size, nullptr, 0) != 0 || most <= 0) return {};
  std::string raw(static_cast<std::size_t>(most), '\0');
  size = raw.size();
  int name[] = {CTL_KERN, KERN_PROCARGS2, pid};
  if (::sysctl(name, 3, raw.data(), &size, nullptr, 0) != 0) return {};
  raw.resize(size);
  return raw;
}

// Times of a task are in ticks of the processor's clock, which are nanoseconds on Intel only.
std::uint64_t milliseconds(std::uint64_t ticks) {
  static const mach_timebase_info_data_t base = [] {
    mach_timebase_info_data_t info{1, 1};
    ::mach_timebase_info(&info);
    return info;
  }();
  return static_cast<std::uint64_t>(static_cast<double>(ticks) * base.numer / base.denom / 1e6);
}

}  // namespace

bool read_stat(pid_t pid, ProcessInfo& out) {
  constexpr std::uint64_t kZombiesToo = 1;
  proc_bsdinfo found{};
  errno = 0;
  if (::proc_pidinfo(pid, PROC_PIDTBSDINFO, kZombiesToo, &found, sizeof found) != static_cast<int>(sizeof found)) return false;
  out.pid = pid;
  out.ppid = static_cast<pid_t>(found.pbi_ppid);
  out.group = static_cast<pid_t>(found.pbi_pgid);
  const pid_t session = ::getsid(pid);
  out.session = session > 0 ? session : 0;
  out.state = letter(found.pbi_status);
  out.threads = 1;  // a zombie here is dead as a whole
  out.start_time = found.pbi_start_tvsec * 1000000u + found.pbi_start_tvusec;
  if (out.argv0.empty()) out.argv0 = found.pbi_name[0] != '\0' ? found.pbi_name : found.pbi_comm;
  return true;
}

void read_details(ProcessInfo& info) {
  proc_taskinfo task{};
  // Refused for another user's processes: then nothing is known of it.
  if (::proc_pidinfo(info.pid, PROC_PIDTASKINFO, 0, &task, sizeof task) == static_cast<int>(sizeof task)) {
    info.cpu_ms = milliseconds(task.pti_total_user + task.pti_total_system);
    info.rss_bytes = task.pti_resident_size;
    info.threads = task.pti_threadnum;
  }
  const std::string raw = start_of(info.pid);
  const std::string_view argv0 = core::parse_process_arguments(raw).argv0;
  if (!argv0.empty()) info.argv0 = argv0;
}

std::vector<pid_t> descendants(pid_t root) {
  std::vector<pid_t> found = children_of(root);
  for (std::size_t i = 0; i < found.size(); i++) {
    for (const pid_t child : children_of(found[i])) {
      // A number that was given away while we look could otherwise lead us round in a circle.
      if (child != root && std::find(found.begin(), found.end(), child) == found.end()) found.push_back(child);
    }
  }
  return found;
}

bool numbers_are_ours() { return true; }

std::string read_environment(pid_t pid, bool& complete) {
  errno = 0;
  const std::string raw = start_of(pid);
  // A process that is gone answers EINVAL here, like one of another user.
  if (raw.empty()) complete = complete && errno != ENOMEM;
  return std::string(core::parse_process_arguments(raw).environment);
}

bool each_process(const std::function<void(ProcessInfo&)>& use) {
  std::vector<pid_t> pids;
  if (!list_pids(pids, [](pid_t* to, int bytes) { return ::proc_listallpids(to, bytes); })) return false;
  bool complete = true;
  for (const pid_t pid : pids) {
    ProcessInfo info;
    errno = 0;
    if (pid > 0 && read_stat(pid, info)) {
      use(info);
    } else if (errno == ENOMEM) {
      complete = false;
    }
  }
  return complete;
}

// Between the look and the signal the process may end and its number may be given away: macOS has nothing like a pidfd. A
// number comes round again only after all others, so what is left of the race is a full round within a microsecond.
void signal_exactly(const ProcessInfo& process, int signal) {
  ProcessInfo now;
  if (process.pid <= 1 || !read_stat(process.pid, now) || now.start_time != process.start_time) return;
  ::kill(process.pid, signal);
}

}  // namespace holdfast::posix
