#include "cgroup.h"

#include "descriptors.h"
#include "format.h"
#include "procfs.h"
#include "sys.h"

namespace holdfast::warden {

namespace {

constexpr int kDeepest = 12;

bool starts_with(const char* text, size_t size, const char* word) {
  for (; *word != 0; ++text, ++word, --size) {
    if (size == 0 || *text != *word) return false;
  }
  return true;
}

/// The number after "<key> " at the start of a line.
bool find_number(const char* text, size_t size, const char* key, uint64_t& number) {
  size_t key_length = 0;
  while (key[key_length] != 0) ++key_length;
  for (size_t at = 0; at < size;) {
    if (starts_with(text + at, size - at, key) && at + key_length + 1 < size && text[at + key_length] == ' ') {
      number = 0;
      bool digits = false;
      for (size_t i = at + key_length + 1; i < size && text[i] >= '0' && text[i] <= '9'; ++i, digits = true) {
        number = number * 10 + static_cast<uint64_t>(text[i] - '0');
      }
      return digits;
    }
    while (at < size && text[at] != '\n') ++at;
    ++at;
  }
  return false;
}

Text<32> leaf_name(uint64_t range) {
  Text<32> name;
  name.add("r").add(range);
  return name;
}

int open_leaf(const Subtree& subtree, uint64_t range) {
  return static_cast<int>(sys::openat(subtree.fd, leaf_name(range).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
}

/// Calls `visit(name)` for each directory in an open one.
template <class Visit>
void for_each_directory(int dir, Visit&& visit) {
  sys::call(__NR_lseek, dir, 0, 0);
  alignas(8) char buffer[1024];
  long size;
  while ((size = sys::call(__NR_getdents64, dir, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const sys::DirectoryEntry*>(buffer + at);
      at += entry->length;
      constexpr uint8_t kDirectory = 4;  // DT_DIR: <dirent.h> of a libc only
      if (entry->type == kDirectory && entry->name()[0] != '.') visit(entry->name());
    }
  }
}

void add_members_of(int dir, PidSet& set, int depth) {
  const long opened = sys::openat(dir, "cgroup.procs", O_RDONLY);
  if (opened >= 0) {
    const int fd = static_cast<int>(opened);
    const auto add = [&](int32_t pid) { set.add(pid); };
    PidParser parser;
    char buffer[1024];
    long size;
    while ((size = sys::read(fd, buffer, sizeof buffer)) > 0 || size == -EINTR) {
      if (size > 0) parser.feed(buffer, static_cast<size_t>(size), add);
    }
    parser.finish(add);
    sys::close(fd);
  }
  if (depth == kDeepest) return;
  for_each_directory(dir, [&](const char* name) {
    const long below = sys::openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (below < 0) return;
    add_members_of(static_cast<int>(below), set, depth + 1);
    sys::close(static_cast<int>(below));
  });
}

int remove_group(int parent, const char* name, int depth) {
  long removed = sys::call(__NR_unlinkat, parent, name, AT_REMOVEDIR);
  if (removed != -EBUSY || depth == kDeepest) return static_cast<int>(removed);
  // Busy: members, or groups below that the command has left behind.
  const long opened = sys::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (opened < 0) return static_cast<int>(opened);
  const int dir = static_cast<int>(opened);
  for_each_directory(dir, [&](const char* below) { remove_group(dir, below, depth + 1); });
  sys::close(dir);
  removed = sys::call(__NR_unlinkat, parent, name, AT_REMOVEDIR);
  return static_cast<int>(removed);
}

}  // namespace

CgroupEvents parse_cgroup_events(const char* text, size_t size) {
  CgroupEvents events;
  uint64_t number;
  if (find_number(text, size, "populated", number)) events.populated = number != 0;
  if (find_number(text, size, "frozen", number)) events.frozen = number != 0;
  return events;
}

bool parse_cpu_stat(const char* text, size_t size, CgroupUsage& usage) {
  return find_number(text, size, "user_usec", usage.user_us) && find_number(text, size, "system_usec", usage.system_us);
}

void parse_memory_events(const char* text, size_t size, LimitFacts& facts) {
  find_number(text, size, "oom_kill", facts.oom_kills);
}

void parse_throttled(const char* text, size_t size, LimitFacts& facts) {
  find_number(text, size, "throttled_usec", facts.throttled_us);
}

uint64_t range_of_path(const char* path, size_t length, const char* prefix, size_t prefix_length) {
  if (length < prefix_length + 3) return 0;
  for (size_t i = 0; i < prefix_length; ++i) {
    if (path[i] != prefix[i]) return 0;
  }
  if (path[prefix_length] != '/' || path[prefix_length + 1] != 'r') return 0;
  uint64_t range = 0;
  size_t at = prefix_length + 2;
  for (; at < length && path[at] >= '0' && path[at] <= '9'; ++at) {
    range = range * 10 + static_cast<uint64_t>(path[at] - '0');
  }
  // "/r7" and "/r7/x" are range 7; "/r7x" is somebody else's. A removed group reads "/r7 (deleted)".
  return at == length || path[at] == '/' || path[at] == ' ' ? range : 0;
}

uint64_t Subtree::range_of(int pid) const {
  if (!adopted) return 0;
  char text[6144];
  const long size = read_text(proc_fd(), proc_path(pid, "/cgroup").c_str(), text, sizeof text);
  const char* found;
  size_t length;
  if (size <= 0 || !parse_unified_path(text, static_cast<size_t>(size), found, length)) return 0;
  return range_of_path(found, length, prefix(), prefix_length);
}

int make_leaf(const Subtree& subtree, uint64_t range, Leaf& leaf) {
  const Text<32> name = leaf_name(range);
  const long made = sys::call(__NR_mkdirat, subtree.fd, name.c_str(), 0755);
  if (made < 0) return static_cast<int>(made);
  leaf.fd = open_leaf(subtree, range);
  if (leaf.fd >= 0) leaf.events = static_cast<int>(sys::openat(leaf.fd, "cgroup.events", O_RDONLY));
  const int error = leaf.fd < 0 ? leaf.fd : leaf.events < 0 ? leaf.events : 0;
  if (error == 0) return 0;
  close_if_open(leaf.fd);
  close_if_open(leaf.events);
  sys::call(__NR_unlinkat, subtree.fd, name.c_str(), AT_REMOVEDIR);
  return error;
}

int remove_leaf(const Subtree& subtree, uint64_t range) {
  const int removed = remove_group(subtree.fd, leaf_name(range).c_str(), 0);
  return removed == -ENOENT || removed == -ENODEV ? 0 : removed;
}

CgroupEvents read_events(int events_fd) {
  char text[256];
  const long size = read_text(events_fd, text, sizeof text);
  // ENODEV: the group is gone, and a group that has members cannot be removed.
  if (size == -ENODEV) return {false, false};
  return size > 0 ? parse_cgroup_events(text, static_cast<size_t>(size)) : CgroupEvents{};
}

namespace {

/// Runs `use(dir)` on the open leaf.
template <class Use>
int with_leaf(const Subtree& subtree, uint64_t range, Use&& use) {
  const int dir = open_leaf(subtree, range);
  if (dir < 0) return dir;
  const int result = use(dir);
  sys::close(dir);
  return result;
}

}  // namespace

int set_limits(const Leaf& leaf, const Limits& limits) {
  int error = 0;
  const auto set = [&](const char* file, uint64_t number, const char* rest) {
    Text<48> text;
    text.add(number).add(rest);
    if (error == 0) error = write_text(leaf.fd, file, text.c_str());
  };
  if (limits.memory_bytes != 0) {
    set("memory.max", limits.memory_bytes, "");
    // Swapping would give the range more than it may have, and slow down everybody else. No file: no swap to be had.
    const int swap = write_text(leaf.fd, "memory.swap.max", "0");
    if (error == 0 && swap != -ENOENT) error = swap;
  }
  if (limits.processes != 0) set("pids.max", limits.processes, "");
  if (limits.cpu_us != 0) set("cpu.max", limits.cpu_us, " 100000");
  return error;
}

LimitFacts read_limit_facts(const Subtree& subtree, uint64_t range) {
  LimitFacts facts;
  with_leaf(subtree, range, [&](int dir) {
    char text[1024];
    long size = read_text(dir, "memory.events", text, sizeof text);
    if (size > 0) parse_memory_events(text, static_cast<size_t>(size), facts);
    size = read_text(dir, "cpu.stat", text, sizeof text);
    if (size > 0) parse_throttled(text, static_cast<size_t>(size), facts);
    size = read_text(dir, "memory.peak", text, sizeof text);
    for (long i = 0; i < size && text[i] >= '0' && text[i] <= '9'; ++i) {
      facts.peak_bytes = facts.peak_bytes * 10 + static_cast<uint64_t>(text[i] - '0');
    }
    return 0;
  });
  return facts;
}

bool read_usage(const Subtree& subtree, uint64_t range, CgroupUsage& usage) {
  return with_leaf(subtree, range, [&](int dir) {
    char text[1024];
    const long size = read_text(dir, "cpu.stat", text, sizeof text);
    return size > 0 && parse_cpu_stat(text, static_cast<size_t>(size), usage) ? 1 : 0;
  }) == 1;
}

int freeze(const Subtree& subtree, uint64_t range, bool on) {
  return with_leaf(subtree, range, [&](int dir) { return write_text(dir, "cgroup.freeze", on ? "1" : "0"); });
}

int kill_leaf(const Subtree& subtree, uint64_t range) {
  return with_leaf(subtree, range, [](int dir) { return write_text(dir, "cgroup.kill", "1"); });
}

void add_members(const Subtree& subtree, uint64_t range, PidSet& set) {
  with_leaf(subtree, range, [&](int dir) {
    add_members_of(dir, set, 0);
    return 0;
  });
}

}  // namespace holdfast::warden
