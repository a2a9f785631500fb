// The warden's and the supervisor's side of a launch.
#pragma once
#include <stdint.h>

#include "child.h"
#include "protocol.h"
#include "scratch.h"

namespace holdfast::warden {

/// Forks. With `leaf` (a cgroup directory) the child is born in it where the kernel can do that; else `enter` is set
/// and the child has to write itself into its cgroup.procs. Returns the pid, 0 in the child, or -errno.
long fork_into(int leaf, bool& enter);

/// Whether clone3 exists here and may be used (seccomp filters answer ENOSYS or EPERM).
bool has_clone3();

struct Target {
  int pid;          // 0 when the launch failed at once; then `failure` says why
  int status_fd;    // read end of the status pipe, non-blocking
  Scratch scratch;  // to be given back when the exec has succeeded, or else when the child has been reaped
  ChildFailure failure;
};

/// Starts a command. Never waits for it. The descriptors stay with the caller.
Target start_target(const LaunchFds& fds, uint32_t block_size, int leaf, const struct rlimit64* own_descriptors);

enum class LaunchStatus { pending, started, failed };

/// What the status pipe says. The end of the pipe means that the exec succeeded, or that the child was killed before
/// it, which counts as started and ended by that signal.
LaunchStatus read_status(int status_fd, ChildFailure& failure);

/// Sorts the descriptors of a request. False when some are missing: too many were open (EMFILE).
bool take_launch_fds(const LaunchRequest& request, const int* fds, int count, LaunchFds& sorted);

}  // namespace holdfast::warden
