#include "launch.h"

#include "sys.h"

namespace holdfast::warden {

namespace {

/// Errors of clone3 that say "not in this way" rather than "not now": no such call, no such flag, not allowed.
bool unsupported(long error) {
  return error == -ENOSYS || error == -EPERM || error == -EINVAL || error == -E2BIG;
}

long clone3(uint64_t flags, int leaf) {
  struct clone_args arguments = {};
  arguments.flags = flags;
  arguments.exit_signal = SIGCHLD;
  if (leaf >= 0) arguments.cgroup = static_cast<uint64_t>(leaf);
  return sys::call(__NR_clone3, &arguments, leaf >= 0 ? CLONE_ARGS_SIZE_VER2 : CLONE_ARGS_SIZE_VER0);
}

void enter_plan(void* plan) { become(*static_cast<const ChildPlan*>(plan)); }

/// The plan lies at the top of the child's stack: the caller's own frame is used again while the child runs.
ChildPlan* place_plan(const Scratch& scratch, const ChildPlan& plan) {
  static_assert(alignof(ChildPlan) <= 16);
  auto* placed = reinterpret_cast<ChildPlan*>(scratch.stack_top() - (sizeof(ChildPlan) + 15) / 16 * 16);
  __builtin_memcpy(placed, &plan, sizeof plan);
  return placed;
}

/// A child that shares our memory until its exec (CLONE_VM), and is not waited for (no CLONE_VFORK).
long clone_sharing(const Scratch& scratch, ChildPlan plan, int leaf) {
#ifndef HOLDFAST_WARDEN_HOSTED  // sanitizers keep books on stacks, and have not heard of this one
  ChildPlan* const placed = place_plan(scratch, plan);
  const auto stack = reinterpret_cast<unsigned char*>(placed);
  struct clone_args arguments = {};
  arguments.flags = CLONE_VM | (leaf >= 0 ? CLONE_INTO_CGROUP : 0);
  arguments.exit_signal = SIGCHLD;
  arguments.stack = reinterpret_cast<uint64_t>(scratch.base);
  arguments.stack_size = static_cast<uint64_t>(stack - scratch.base);
  if (leaf >= 0) arguments.cgroup = static_cast<uint64_t>(leaf);
  const long size = leaf >= 0 ? CLONE_ARGS_SIZE_VER2 : CLONE_ARGS_SIZE_VER0;
  const long pid = sys::call_cloning(__NR_clone3, sys::word(&arguments), size, 0, 0, 0, enter_plan, placed);
  if (pid >= 0 || !unsupported(pid)) return pid;
  placed->leaf = leaf;
  return sys::call_cloning(__NR_clone, CLONE_VM | SIGCHLD, sys::word(stack), 0, 0, 0, enter_plan, placed);
#else
  static_cast<void>(scratch), static_cast<void>(plan), static_cast<void>(leaf), static_cast<void>(enter_plan),
      static_cast<void>(place_plan);
  return -EINVAL;
#endif
}

}  // namespace

long fork_into(int leaf, bool& enter) {
  enter = false;
  if (leaf >= 0) {
    const long pid = clone3(CLONE_INTO_CGROUP, leaf);
    if (pid >= 0 || !unsupported(pid)) return pid;
    enter = true;
  }
  // A plain fork. Not vfork: the warden never waits for a chdir or exec on a hung file system.
  return sys::call(__NR_clone, SIGCHLD, 0, 0, 0, 0);
}

bool has_clone3() {
  // A size that no kernel accepts: EINVAL when the call is there.
  return sys::call(__NR_clone3, nullptr, 0) == -EINVAL;
}

Target start_target(const LaunchFds& fds, uint32_t block_size, int leaf, const struct rlimit64* own_descriptors) {
  Target target = {0, -1, {}, {}};
  int status[2];
  const long piped = sys::pipe(status, O_NONBLOCK);
  if (piped < 0) {
    target.failure = {LaunchStep::descriptors, static_cast<int32_t>(-piped)};
    return target;
  }
  if (!take_scratch(block_size, target.scratch)) {
    sys::close(status[0]);
    sys::close(status[1]);
    target.failure = {LaunchStep::block, ENOMEM};
    return target;
  }
  ChildPlan plan = {fds, target.scratch.block(), block_size, status[1], -1, own_descriptors};
  long pid = clone_sharing(target.scratch, plan, leaf);
  if (pid < 0 && unsupported(pid)) {
    // qemu-user knows no child that shares memory: a plain fork.
    bool enter;
    pid = fork_into(leaf, enter);
    if (enter) plan.leaf = leaf;
    if (pid == 0) become(plan);
  }
  sys::close(status[1]);
  if (pid < 0) {
    sys::close(status[0]);
    give_scratch(target.scratch);
    target.failure = {LaunchStep::clone, static_cast<int32_t>(-pid)};
    return target;
  }
  target.pid = static_cast<int>(pid);
  target.status_fd = status[0];
  return target;
}

LaunchStatus read_status(int status_fd, ChildFailure& failure) {
  ChildFailure said = {};
  long size;
  do size = sys::read(status_fd, &said, sizeof said);
  while (size == -EINTR);
  if (size == -EAGAIN) return LaunchStatus::pending;
  if (size != sizeof said) return LaunchStatus::started;
  failure = said;
  return LaunchStatus::failed;
}

bool take_launch_fds(const LaunchRequest& request, const int* fds, int count, LaunchFds& sorted) {
  const bool has_control = request.has_control != 0;
  const bool has_channel = request.hold == Hold::subreaper;
  const int wanted = 4 + (has_control ? 1 : 0) + (has_channel ? 1 : 0);
  if (count < wanted) return false;
  sorted.block = fds[0];
  for (int i = 0; i < 3; ++i) sorted.stdio[i] = fds[1 + i];
  if (has_control) sorted.control = fds[4];
  if (has_channel) sorted.channel = fds[wanted - 1];
  return true;
}

}  // namespace holdfast::warden
