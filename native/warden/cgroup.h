// Leaves of a cgroup v2 subtree: one a range, named r<range>, below a directory that the host hands over.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "protocol.h"

namespace holdfast::warden {

class PidSet;

/// Facts of a cgroup.events file.
struct CgroupEvents {
  bool populated = true;  // until the file says otherwise
  bool frozen = false;
};
CgroupEvents parse_cgroup_events(const char* text, size_t size);

struct CgroupUsage {
  uint64_t user_us = 0;
  uint64_t system_us = 0;
};
/// False when cpu.stat says nothing of the kind.
bool parse_cpu_stat(const char* text, size_t size, CgroupUsage& usage);

/// What limits have done to a range so far.
struct LimitFacts {
  uint64_t oom_kills = 0;
  uint64_t peak_bytes = 0;
  uint64_t throttled_us = 0;
};
/// From the texts of memory.events and cpu.stat; what they do not say stays.
void parse_memory_events(const char* text, size_t size, LimitFacts& facts);
void parse_throttled(const char* text, size_t size, LimitFacts& facts);

/// The range in whose leaf (or below it) a cgroup path lies, 0 when it is elsewhere. Pure.
uint64_t range_of_path(const char* path, size_t length, const char* prefix, size_t prefix_length);

/// A directory in which leaves are made, probed.
struct Subtree {
  bool adopted;
  int fd;  // valid when adopted
  bool has_kill;
  size_t prefix_length;
  // As /proc/<pid>/cgroup shows it, what stands before "/r<range>"; then its path in the file system, for its removal.
  // Together, so that they touch one page.
  char texts[2 * 4096];

  const char* prefix() const { return texts; }
  char* path() { return texts + prefix_length; }

  /// The range in whose leaf a process is, 0 when in none.
  uint64_t range_of(int pid) const;
};

/// Proves that leaves below `fd` hold processes: makes one, puts a process in, sees it there, kills it, sees the leaf
/// empty, removes it. Takes at most about a second. Fills in everything but path on success; the fd stays the caller's
/// unless the subtree is adopted, which it is when `step` is done.
void probe_subtree(int fd, Subtree& subtree, ProbeStep& step, int& error);

struct Leaf {
  int fd = -1;      // the directory
  int events = -1;  // its cgroup.events
};
/// 0 or -errno.
int make_leaf(const Subtree& subtree, uint64_t range, Leaf& leaf);
/// 0, or -errno: -EBUSY while something is left. Groups that a command has made below its leaf are removed as well.
int remove_leaf(const Subtree& subtree, uint64_t range);

CgroupEvents read_events(int events_fd);
/// Sets the limits of a leaf that is still empty. 0 or -errno.
int set_limits(const Leaf& leaf, const Limits& limits);
LimitFacts read_limit_facts(const Subtree& subtree, uint64_t range);
bool read_usage(const Subtree& subtree, uint64_t range, CgroupUsage& usage);
/// 0 or -errno.
int freeze(const Subtree& subtree, uint64_t range, bool on);
int kill_leaf(const Subtree& subtree, uint64_t range);
/// Adds all members, also of groups below the leaf.
void add_members(const Subtree& subtree, uint64_t range, PidSet& set);

}  // namespace holdfast::warden
