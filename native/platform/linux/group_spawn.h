// Launch inside the host: posix_spawn of a command that leads a session and a group of its own.
#pragma once
#include "range.h"

namespace holdfast::linux_os {

/// Launch thread. Starts `request.launch` with the child's ends of its streams, in an open directory. 0 and `pid`, or the
/// errno of the launch; posix_spawn has a single one for the program and everything before it. The descriptors stay the
/// caller's.
int spawn_leader(RangeRequest& request, const posix::Fd (&stdio)[3], const posix::Fd& control, int directory, pid_t& pid);

}  // namespace holdfast::linux_os
