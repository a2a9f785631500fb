// Launch inside the host: posix_spawn of a command that leads a session and a group of its own.
#pragma once
#include "range.h"

namespace holdfast::posix {

/// Launch thread. Starts `request.launch` with the child's ends of its streams. `pid`; or `failure.error`, and with it
/// `failure.syscall` and `failure.subject` where the working directory is at fault and not the program, for which both are
/// filled in already. The descriptors stay the caller's. linux/group_spawn.cc, darwin/group_spawn.cc.
void spawn_leader(RangeRequest& request, const Fd (&stdio)[3], const Fd& control, pid_t& pid, core::Failure& failure);

}  // namespace holdfast::posix
