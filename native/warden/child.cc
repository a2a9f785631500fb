#include "child.h"

#include "descriptors.h"
#include "format.h"
#include "sys.h"

namespace holdfast::warden {

namespace {

constexpr int kStatusFd = 3;

[[noreturn]] void fail(int status, LaunchStep step, long error) {
  const ChildFailure failure = {step, static_cast<int32_t>(-error)};
  sys::write(status, &failure, sizeof failure);
  sys::exit(127);
}

/// Reads the whole block: a memfd from its start wherever its offset is, a pipe as it comes.
long read_block(int fd, unsigned char* to, size_t size) {
  size_t have = 0;
  bool seekable = true;
  while (have < size) {
    const long got = seekable ? sys::pread(fd, to + have, size - have, static_cast<long>(have))
                              : sys::read(fd, to + have, size - have);
    if (got == -EINTR) continue;
    if (got == -ESPIPE && seekable) {
      seekable = false;
      continue;
    }
    if (got < 0) return got;
    if (got == 0) return -EBADMSG;
    have += static_cast<size_t>(got);
  }
  return 0;
}

/// Whether a failure to take over a property of the host is one that any child of the host could meet as well: a right
/// that the warden (started by the host, perhaps before the host changed) does not have. Launching with what there is
/// beats not launching; the host compares rights itself and starts another warden where they differ.
bool unprivileged(long error) { return error == -EPERM || error == -EACCES; }

long apply_limits(const HostState& state, const struct rlimit64* own_descriptors) {
  if ((state.applies & HostState::kLimits) == 0) {
    return own_descriptors == nullptr ? 0 : sys::call(__NR_prlimit64, 0, RLIMIT_NOFILE, own_descriptors, nullptr);
  }
  for (int resource = 0; resource < 16; ++resource) {
    const struct rlimit64 limit = {state.limits[resource].soft, state.limits[resource].hard};
    const long done = sys::call(__NR_prlimit64, 0, resource, &limit, nullptr);
    if (done < 0 && !unprivileged(done)) return done;
  }
  return 0;
}

long apply(const HostState& state, const struct rlimit64* own_descriptors) {
  if ((state.applies & HostState::kUmask) != 0) sys::call(__NR_umask, state.umask & 0777);
  if ((state.applies & HostState::kNice) != 0) {
    const long done = sys::call(__NR_setpriority, PRIO_PROCESS, 0, state.nice);
    if (done < 0 && !unprivileged(done)) return done;
  }
  if ((state.applies & HostState::kOomScore) != 0) {
    Text<16> text;
    if (state.oom_score_adj < 0) text.add("-");
    const int64_t value = state.oom_score_adj;
    text.add(static_cast<uint64_t>(value < 0 ? -value : value));
    const int done = write_text(AT_FDCWD, "/proc/self/oom_score_adj", text.c_str());
    if (done < 0 && !unprivileged(done) && done != -ENOENT) return done;  // ENOENT: no /proc here
  }
  if ((state.applies & HostState::kAffinity) != 0) {
    // EINVAL: none of these processors may be used here any more (hot-plug, cpuset). The kernel's choice stays.
    const long done = sys::call(__NR_sched_setaffinity, 0, sizeof state.affinity, state.affinity);
    if (done < 0 && !unprivileged(done) && done != -EINVAL) return done;
  }
  // Last: a low limit must not break what comes before it.
  return apply_limits(state, own_descriptors);
}

/// As execvp does: a file that the kernel does not know is a script for /bin/sh, but only if it looks like text.
bool looks_like_text(const char* path) {
  const long opened = sys::openat(AT_FDCWD, path, O_RDONLY);
  if (opened < 0) return false;
  char start[256];
  const long size = sys::read(static_cast<int>(opened), start, sizeof start);
  sys::close(static_cast<int>(opened));
  for (long i = 0; i < size; ++i) {
    if (start[i] == 0) return false;
  }
  return size >= 0;
}

long execute(const Program& program) {
  const auto exec = [&](const char* path, char** arguments) {
    return sys::call(__NR_execve, path, arguments, program.environment);
  };
  long error = exec(program.path, program.arguments);
  // ETXTBSY: somebody holds the file open for writing. Most often that is another thread's fork of whoever has just
  // written it, gone in a moment; a real writer stays.
  for (long pause_ms = 1; error == -ETXTBSY && pause_ms <= 32; pause_ms *= 2) {
    sys::sleep_us(pause_ms * 1000);
    error = exec(program.path, program.arguments);
  }
  if (error == -ENOEXEC && looks_like_text(program.path)) {
    static char shell[] = "/bin/sh";
    program.arguments[0] = const_cast<char*>(program.path);
    program.arguments[-1] = shell;
    exec(shell, program.arguments - 1);
  }
  return error;
}

}  // namespace

void LaunchFds::close() {
  close_if_open(block);
  for (int& fd : stdio) close_if_open(fd);
  close_if_open(control);
  close_if_open(channel);
}

bool relocate(unsigned char* block, size_t size, Program& program) {
  static_assert(sizeof(char*) == sizeof(uint64_t), "offsets become pointers in place");
  if (size < sizeof(LaunchBlock)) return false;
  const auto* head = reinterpret_cast<const LaunchBlock*>(block);
  // With a NUL at the very end no string can run out of the block.
  if (head->size != size || block[size - 1] != 0 || head->argc == 0) return false;
  const uint64_t entries = uint64_t{1} + head->argc + 1 + head->envc + 1;
  const uint64_t table_offset = head->table_offset;
  if (table_offset % 8 != 0 || table_offset < sizeof(LaunchBlock) || table_offset > size) return false;
  if (entries > (size - table_offset) / sizeof(uint64_t)) return false;
  if (head->program_offset >= size || head->cwd_offset >= size) return false;

  auto* table = reinterpret_cast<uint64_t*>(block + table_offset);
  const uint64_t arguments_end = 1 + uint64_t{head->argc};
  for (uint64_t i = 0; i < entries; ++i) {
    const bool empty = i == 0 || i == arguments_end || i + 1 == entries;
    if (!empty && table[i] >= size) return false;
    table[i] = empty ? 0 : reinterpret_cast<uint64_t>(block) + table[i];
  }
  program.path = reinterpret_cast<const char*>(block + head->program_offset);
  program.cwd = reinterpret_cast<const char*>(block + head->cwd_offset);
  program.arguments = reinterpret_cast<char**>(table + 1);
  program.environment = reinterpret_cast<char**>(table + arguments_end + 1);
  program.terminal = head->terminal != 0;
  program.state = &head->state;
  return true;
}

void become(const ChildPlan& plan) {
  // Before anything else: until then this process is not in its range.
  if (plan.leaf >= 0) {
    const int done = write_text(plan.leaf, "cgroup.procs", "0");
    if (done < 0) fail(plan.status, LaunchStep::own, done);
  }
  // Early, so that a TERM ends a child whose chdir or exec hangs. Dispositions are the defaults: the warden has reset
  // its own at its start and installs none.
  sys::mask_signals(0);

  const long got = read_block(plan.fds.block, plan.block, plan.block_size);
  if (got < 0) fail(plan.status, LaunchStep::block, got);
  Program program;
  if (!relocate(plan.block, plan.block_size, program)) fail(plan.status, LaunchStep::block, -EBADMSG);

  const long session = sys::call(__NR_setsid);
  if (session < 0) fail(plan.status, LaunchStep::session, session);

  Placement placements[] = {
      {plan.status, kStatusFd, true},   {plan.fds.stdio[0], 0, false},         {plan.fds.stdio[1], 1, false},
      {plan.fds.stdio[2], 2, false},    {plan.fds.control, kControlFd, false},
  };
  const bool has_control = plan.fds.control >= 0;
  const int placed = place(placements, has_control ? 5 : 4);
  if (placed < 0) fail(plan.status, LaunchStep::descriptors, placed);
  // Closed now, not at the exec: a child that hangs in its chdir must not hold the warden's channel or lifeline open.
  sys::call(__NR_close_range, kStatusFd + 1, kControlFd - 1, 0);
  close_from(has_control ? kControlFd + 1 : kControlFd);

  if (program.terminal) {
    // 0: never taken away from a session that has it. With it this process's group is in the foreground.
    const long taken = sys::call(__NR_ioctl, 0, TIOCSCTTY, 0);
    if (taken < 0) fail(kStatusFd, LaunchStep::terminal, taken);
  }
  const long applied = apply(*program.state, plan.own_descriptors);
  if (applied < 0) fail(kStatusFd, LaunchStep::state, applied);
  const long moved = sys::call(__NR_chdir, program.cwd);
  if (moved < 0) fail(kStatusFd, LaunchStep::chdir, moved);
  fail(kStatusFd, LaunchStep::exec, execute(program));
}

}  // namespace holdfast::warden
