// One delegated scope of systemd, in which a warden makes leaves as it does in a subtree of its own.
//
// The user's manager is asked, or the system's where the host is root; once, over D-Bus. From then on everything goes
// through the cgroup file system, and neither the bus nor the manager is needed.
#pragma once
#include <sys/types.h>

#include <memory>
#include <string>

#include "cgroup.h"
#include "manager.h"
#include "refusal.h"

namespace holdfast::linux_os {

/// Asks for a scope around `warden`, checks that the kernel shows it there, and moves it into a leaf of its own. Blocks
/// for a few seconds at most. Null: `refusal` says at which step. `lifts`: a limit of the host that does not reach into
/// the scope, "" if none was seen.
std::unique_ptr<CgroupTree> make_scope(pid_t warden, const ManagerAddress& address, std::string& lifts, Refusal& refusal);

}  // namespace holdfast::linux_os
