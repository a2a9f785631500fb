// The live probe of a subtree. A directory that can be made proves nothing: on a read-only or foreign mount, or where
// the common ancestor may not be written, only putting a process in shows whether leaves hold.
#include "cgroup.h"
#include "descriptors.h"
#include "format.h"
#include "launch.h"
#include "procfs.h"
#include "sys.h"

namespace holdfast::warden {

namespace {

constexpr const char* kName = "probe";
constexpr const char* kSuffix = "/probe";
constexpr size_t kSuffixLength = 6;
constexpr uint64_t kPatienceMs = 300;

bool ends_with_probe(const char* path, size_t length) {
  return length > kSuffixLength && __builtin_memcmp(path + length - kSuffixLength, kSuffix, kSuffixLength) == 0;
}

/// Waits until the process shows up in the leaf, and takes the subtree's name from there.
bool see_inside(int pid, Subtree& subtree) {
  const uint64_t deadline = sys::now_ms() + kPatienceMs;
  for (;;) {
    char text[6144];
    const long size = read_text(proc_fd(), proc_path(pid, "/cgroup").c_str(), text, sizeof text);
    const char* path;
    size_t length;
    if (size > 0 && parse_unified_path(text, static_cast<size_t>(size), path, length) && ends_with_probe(path, length)) {
      subtree.prefix_length = length - kSuffixLength;
      if (subtree.prefix_length > sizeof subtree.texts / 2) return false;
      __builtin_memcpy(subtree.texts, path, subtree.prefix_length);
      return true;
    }
    if (sys::now_ms() >= deadline) return false;
    sys::sleep_us(1000);
  }
}

/// Only a process that writes itself in needs the wait above; it then waits for its end, which is also that of the warden:
/// nobody else would end it. (The signal is tied to the thread that forked; the warden has only one.)
[[noreturn]] void be_probed(int leaf, bool enter, int warden) {
  sys::prctl(PR_SET_PDEATHSIG, reinterpret_cast<void*>(SIGKILL));
  if (sys::call(__NR_getppid) != warden) sys::exit(1);
  if (enter && write_text(leaf, "cgroup.procs", "0") < 0) sys::exit(1);
  for (;;) sys::call(__NR_ppoll, nullptr, 0, nullptr, nullptr, 0);
}

bool see_empty(int leaf) {
  const uint64_t deadline = sys::now_ms() + kPatienceMs;
  for (;;) {
    char text[256];
    const long size = read_text(leaf, "cgroup.events", text, sizeof text);
    if (size > 0 && !parse_cgroup_events(text, static_cast<size_t>(size)).populated) return true;
    if (sys::now_ms() >= deadline) return false;
    sys::sleep_us(1000);
  }
}

/// Everything that needs the open leaf. The process is gone when this returns.
ProbeStep probe_leaf(int leaf, Subtree& subtree, int& error) {
  char type[32];
  const long got = read_text(leaf, "cgroup.type", type, sizeof type);
  if (got < 0 || __builtin_memcmp(type, "domain\n", 8) != 0) {
    // Threaded and invalid groups refuse processes or their killing.
    error = got < 0 ? static_cast<int>(-got) : EOPNOTSUPP;
    return ProbeStep::type;
  }
  const long kill_file = sys::openat(leaf, "cgroup.kill", O_WRONLY);
  subtree.has_kill = kill_file >= 0;
  if (kill_file >= 0) sys::close(static_cast<int>(kill_file));

  bool enter;
  const int self = static_cast<int>(sys::getpid());
  const long pid = fork_into(leaf, enter);
  if (pid == 0) be_probed(leaf, enter, self);
  if (pid < 0) {
    error = static_cast<int>(-pid);
    return ProbeStep::clone;
  }
  const int child = static_cast<int>(pid);
  ProbeStep step = ProbeStep::done;
  if (!see_inside(child, subtree)) {
    step = ProbeStep::verify;
    error = ENOENT;
  } else {
    const int killed = subtree.has_kill ? write_text(leaf, "cgroup.kill", "1") : write_text(leaf, "cgroup.freeze", "1");
    if (killed < 0) {
      step = ProbeStep::kill;
      error = -killed;
    }
  }
  // Also where cgroup.kill has done it: whatever happened, the probe leaves nothing behind.
  sys::kill(child, SIGKILL);
  if (step == ProbeStep::done && !see_empty(leaf)) {
    step = ProbeStep::empty;
    error = ETIMEDOUT;
  }
  int status;
  long reaped;
  do reaped = sys::wait(child, &status, __WALL, nullptr);
  while (reaped == -EINTR);
  return step;
}

}  // namespace

void probe_subtree(int fd, Subtree& subtree, ProbeStep& step, int& error) {
  error = 0;
  sys::call(__NR_unlinkat, fd, kName, AT_REMOVEDIR);  // of a probe that was killed
  step = ProbeStep::mkdir;
  const long made = sys::call(__NR_mkdirat, fd, kName, 0755);
  if (made < 0) {
    error = static_cast<int>(-made);
    return;
  }
  const long leaf = sys::openat(fd, kName, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (leaf < 0) {
    step = ProbeStep::open;
    error = static_cast<int>(-leaf);
  } else {
    step = probe_leaf(static_cast<int>(leaf), subtree, error);
    sys::close(static_cast<int>(leaf));
  }
  long removed = sys::call(__NR_unlinkat, fd, kName, AT_REMOVEDIR);
  // A process that has just ended may hold its group for a moment longer.
  for (int i = 0; i < 100 && removed == -EBUSY; ++i) {
    sys::sleep_us(1000);
    removed = sys::call(__NR_unlinkat, fd, kName, AT_REMOVEDIR);
  }
  if (step == ProbeStep::done && removed < 0) {
    step = ProbeStep::rmdir;
    error = static_cast<int>(-removed);
  }
  subtree.adopted = step == ProbeStep::done;
  subtree.fd = fd;
}

}  // namespace holdfast::warden
