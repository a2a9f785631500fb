// systemd's manager: where it is to be asked, and how this process lives under it. Nothing here connects to it.
#pragma once
#include <string>
#include <vector>

#include "platform/posix/launcher.h"
#include "refusal.h"

namespace holdfast::linux_os {

using posix::ManagerAddress;

/// The socket of the bus on which the manager is: the user's, or for root the system's. "": `refusal` says why.
std::string manager_socket(const ManagerAddress& address, Refusal& refusal);

/// Whether there is a manager at all: systemd is booted, its bus has a socket that belongs to who it should, libsystemd
/// can be loaded. False: `refusal` says what is missing.
bool manager_may_answer(const ManagerAddress& address, Refusal& refusal);

/// The unit that this process lives in, as its path in the cgroup tree shows it.
struct HostUnit {
  bool managed = false;             // lives under the manager that would be asked
  std::string name;                 // such as "app.service"; "" where there is none
  std::string slice = "-.slice";    // the slice that holds it: a scope in the same one is under the same limits of slices
  std::vector<std::string> groups;  // paths from this process's own group up to below that slice
};
HostUnit host_unit();

/// Why a scope is nothing that may be taken without being asked for by name: this process does not live under the
/// manager, or its own groups have limits that would not reach into it. "" if there is no reason.
std::string lifted_by_scope();

/// What to say where `host` may have fewer processes than `scope`; "" otherwise. Each unit gets such a limit from its
/// manager, so that only the comparison tells anything.
std::string fewer_processes_than(const std::string& scope, const HostUnit& host);

}  // namespace holdfast::linux_os
