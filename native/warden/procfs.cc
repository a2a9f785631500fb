#include "procfs.h"

#include "descriptors.h"
#include "format.h"
#include "sys.h"

namespace holdfast::warden {

namespace {

int g_proc = -1;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads one number and the blank before it.
bool take_number(const char*& at, const char* end, uint64_t& number) {
  while (at < end && *at == ' ') ++at;
  const bool negative = at < end && *at == '-';
  if (negative) ++at;
  if (at >= end || !is_digit(*at)) return false;
  number = 0;
  while (at < end && is_digit(*at)) number = number * 10 + static_cast<uint64_t>(*at++ - '0');
  if (negative) number = ~number + 1;
  return true;
}

}  // namespace

int proc_fd() {
  if (g_proc < 0) g_proc = static_cast<int>(sys::openat(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY));
  return g_proc >= 0 ? g_proc : -EBADF;
}

void move_proc_fd(int to) { g_proc = to; }

bool parse_stat(const char* text, size_t size, ProcessStat& stat) {
  const char* at = text;
  const char* end = text + size;
  uint64_t number;
  if (!take_number(at, end, number)) return false;
  stat.pid = static_cast<int32_t>(number);
  // A process may call itself "x) R 1 1": the name ends at the last bracket.
  const char* name_end = nullptr;
  for (const char* c = at; c < end; ++c) {
    if (*c == ')') name_end = c;
  }
  if (name_end == nullptr || end - name_end < 3) return false;
  stat.state = name_end[2];
  at = name_end + 3;
  for (int field = 4; field <= 22; ++field) {
    if (!take_number(at, end, number)) return false;
    if (field == 4) stat.parent = static_cast<int32_t>(number);
    if (field == 6) stat.session = static_cast<int32_t>(number);
    if (field == 20) stat.threads = number;
    if (field == 22) stat.start_time = number;
  }
  return true;
}

bool parse_unified_path(const char* text, size_t size, const char*& path, size_t& length) {
  for (size_t line = 0; line < size;) {
    size_t end = line;
    while (end < size && text[end] != '\n') ++end;
    if (end - line >= 4 && text[line] == '0' && text[line + 1] == ':' && text[line + 2] == ':' && text[line + 3] == '/') {
      path = text + line + 3;
      length = end - line - 3;
      return true;
    }
    line = end + 1;
  }
  return false;
}

bool read_stat(int pid, ProcessStat& stat) {
  char text[1024];
  const long size = read_text(proc_fd(), proc_path(pid, "/stat").c_str(), text, sizeof text);
  return size > 0 && parse_stat(text, static_cast<size_t>(size), stat) && stat.pid == pid;
}

void read_argv0(int pid, char (&argv0)[kArgv0Bytes]) {
  // A process without arguments (a kernel thread, one that has cleared them) still has a name.
  if (read_text(proc_fd(), proc_path(pid, "/cmdline").c_str(), argv0, sizeof argv0) > 0 && argv0[0] != 0) return;
  const long size = read_text(proc_fd(), proc_path(pid, "/comm").c_str(), argv0, sizeof argv0);
  if (size > 0 && argv0[size - 1] == '\n') argv0[size - 1] = 0;
}

namespace {

/// Calls `found(number)` for each entry that is named by a number, of a directory in /proc.
template <class Found>
bool for_each_number(const char* path, Found&& found) {
  const long opened = sys::openat(proc_fd(), path, O_RDONLY | O_DIRECTORY);
  if (opened < 0) return false;
  const int dir = static_cast<int>(opened);
  alignas(8) char buffer[2048];
  long size;
  while ((size = sys::call(__NR_getdents64, dir, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const sys::DirectoryEntry*>(buffer + at);
      at += entry->length;
      if (!is_digit(entry->name()[0])) continue;
      PidParser parser;
      size_t length = 0;
      while (entry->name()[length] != 0) ++length;
      parser.feed(entry->name(), length, found);
      parser.finish(found);
    }
  }
  sys::close(dir);
  return size == 0;
}

bool add_children_of_thread(int pid, int tid, PidSet& set) {
  Text<64> path;
  path.add(static_cast<uint64_t>(pid)).add("/task/").add(static_cast<uint64_t>(tid)).add("/children");
  const long opened = sys::openat(proc_fd(), path.c_str(), O_RDONLY);
  if (opened < 0) return opened == -ENOENT || opened == -ESRCH;  // that thread has ended
  const int fd = static_cast<int>(opened);
  const auto add = [&](int32_t child) { set.add(child); };
  PidParser parser;
  char buffer[1024];
  long size;
  while ((size = sys::read(fd, buffer, sizeof buffer)) > 0 || size == -EINTR) {
    if (size > 0) parser.feed(buffer, static_cast<size_t>(size), add);
  }
  parser.finish(add);
  sys::close(fd);
  return size == 0 || size == -ESRCH;
}

/// One pass over all processes: adds those whose parent is `pid`, or any member when pid is 0. Returns how many are
/// new, -1 when /proc cannot be read.
int add_by_parent(int pid, PidSet& set) {
  int added = 0;
  const bool listed = for_each_number(".", [&](int32_t candidate) {
    ProcessStat stat;
    if (set.has(candidate) || !read_stat(candidate, stat)) return;
    if (pid != 0 ? stat.parent == pid : set.has(stat.parent)) added += set.add(candidate) ? 1 : 0;
  });
  return listed ? added : -1;
}

int g_has_children_files = -1;

}  // namespace

bool has_children_files() {
  if (g_has_children_files < 0) {
    Text<64> path;
    const auto self = static_cast<uint64_t>(sys::getpid());
    path.add(self).add("/task/").add(self).add("/children");
    char text[8];
    g_has_children_files = read_text(proc_fd(), path.c_str(), text, sizeof text) >= 0 ? 1 : 0;
  }
  return g_has_children_files == 1;
}

bool proc_is_ours() {
  char text[16];
  const long length = sys::call(__NR_readlinkat, proc_fd(), "self", text, sizeof text);
  int64_t number = 0;
  for (long i = 0; i < length && is_digit(text[i]); ++i) number = number * 10 + (text[i] - '0');
  return length > 0 && number == sys::getpid();
}

bool add_children(int pid, PidSet& set) {
  if (!has_children_files()) return add_by_parent(pid, set) >= 0;
  bool complete = true;
  const bool listed = for_each_number(proc_path(pid, "/task").c_str(), [&](int32_t tid) {
    complete = add_children_of_thread(pid, tid, set) && complete;
  });
  return listed && complete;
}

void add_descendants(PidSet& set) {
  if (has_children_files()) {
    for (int i = 0; i < set.count(); ++i) add_children(set.at(i), set);
  } else {
    while (set.count() > 0 && add_by_parent(0, set) > 0) {
    }
  }
}

Process::Process(int pid) : pid_(pid), pidfd_(static_cast<int>(sys::call(__NR_pidfd_open, pid, 0))) {}

Process::~Process() { close_if_open(pidfd_); }

int Process::signal(int number) const {
  if (pid_ <= 1) return -ESRCH;
  if (pidfd_ == -ESRCH) return -ESRCH;
  if (pidfd_ >= 0) return static_cast<int>(sys::call(__NR_pidfd_send_signal, pidfd_, number, 0, 0));
  return static_cast<int>(sys::kill(pid_, number));
}

}  // namespace holdfast::warden
