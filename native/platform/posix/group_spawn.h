// Launch inside the host: posix_spawn of a command that leads a session and a group of its own.
#pragma once
#include "range.h"

namespace holdfast::posix {

/// Launch thread; hangs as long as the file system of `cwd` does. posix_spawn has one errno for everything, so what is wrong
/// with the working directory is found out before. 0, or the errno of entering it. `directory`: open, where spawn_leader()
/// needs it so.
int look_at_directory(const std::string& cwd, Fd& directory);

/// Launch thread. Starts `request.launch` in that directory with the child's ends of its streams. `pid`, or an errno. The
/// descriptors stay the caller's. linux/group_spawn.cc, darwin/group_spawn.cc.
int spawn_leader(RangeRequest& request, const Fd& directory, const Fd (&stdio)[3], const Fd& control, pid_t& pid);

}  // namespace holdfast::posix
