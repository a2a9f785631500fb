// What the warden reads from /proc. The parsers are pure: text in, facts out, any input allowed.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "pid_set.h"
#include "protocol.h"

namespace holdfast::warden {

/// /proc, opened once and kept: somebody may mount something over it, or unmount it, and the processes that have to be ended
/// are there all the same. Not a descriptor where there is none; every use of it fails then.
int proc_fd();
/// It has been put at another number.
void move_proc_fd(int to);

struct ProcessStat {
  int32_t pid = 0;
  int32_t parent = 0;
  int32_t session = 0;
  char state = 0;           // as in /proc/<pid>/stat: R S D T t Z X …
  uint64_t threads = 0;
  uint64_t start_time = 0;  // clock ticks after boot

  /// A process whose first thread has ended shows Z as well, for as long as its other threads run: that one is alive.
  bool dead() const { return (state == 'Z' && threads <= 1) || state == 'X' || state == 'x'; }
  bool stopped() const { return state == 'T'; }
};

/// Parses /proc/<pid>/stat. The name field may contain anything, also ") R 1".
bool parse_stat(const char* text, size_t size, ProcessStat& stat);

/// Finds the path of the unified hierarchy in /proc/<pid>/cgroup: the line "0::<path>". Points into `text`.
bool parse_unified_path(const char* text, size_t size, const char*& path, size_t& length);

/// Numbers separated by anything, fed piece by piece. Calls `found(pid)`; zero, negative and absurd numbers are left
/// out: cgroup.procs shows 0 for processes of other pid namespaces, and kill(0) and kill(-n) mean whole groups.
class PidParser {
 public:
  template <class Found>
  void feed(const char* text, size_t size, Found&& found) {
    for (size_t i = 0; i < size; ++i) {
      const char c = text[i];
      if (c >= '0' && c <= '9') {
        if (value_ < PidSet::kMaxPid) value_ = value_ * 10 + (c - '0');
      } else {
        finish(found);
        negative_ = c == '-';
      }
    }
  }
  template <class Found>
  void finish(Found&& found) {
    if (value_ > 1 && value_ < PidSet::kMaxPid && !negative_) found(value_);
    value_ = 0;
    negative_ = false;
  }

 private:
  int32_t value_ = 0;
  bool negative_ = false;
};

bool read_stat(int pid, ProcessStat& stat);

/// First argument of a process, else its name, else "". Cut to what fits, always NUL-terminated.
void read_argv0(int pid, char (&argv0)[kArgv0Bytes]);

/// Whether /proc/<pid>/task/<tid>/children exists (CONFIG_PROC_CHILDREN).
bool has_children_files();
/// Whether /proc shows this process under its own number, and so others under theirs: not in a pid namespace that has
/// kept the /proc of another one.
bool proc_is_ours();

/// Adds the children of one process, of all its threads. False when they cannot be listed. Without children files all
/// of /proc is read.
bool add_children(int pid, PidSet& set);

/// Adds everything that descends from the members of `set`.
void add_descendants(PidSet& set);

/// A process whose number cannot be reused under us. Make it first, then check that it (still) is the process that is
/// meant, then signal. Without pidfds (Linux 5.3) or descriptors only the check protects.
class Process {
 public:
  explicit Process(int pid);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// 0 or -errno; -ESRCH when it is gone.
  int signal(int number) const;

 private:
  int pid_;
  int pidfd_;
};

}  // namespace holdfast::warden
