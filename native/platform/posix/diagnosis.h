// What this host can do, for people and for reports.
#pragma once
#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "core/owner.h"

namespace holdfast::posix {

struct OwnerFinding {
  core::Owner owner;
  bool available;
  /// Why it cannot be used. With an available one: why `auto` passes it over.
  std::string reason;
};

struct Diagnosis {
  std::vector<OwnerFinding> owners;  // strongest first
  core::Owner chosen = core::Owner::group;  // what `auto` takes
  std::string warden_from = "none", warden_path;
  pid_t warden_pid = -1;
  std::vector<std::pair<std::string, bool>> kernel;
  std::vector<std::pair<std::string, double>> limits;  // infinite where there is none
};

/// The soft limit of this process (RLIMIT_*); infinite where there is none, -1 where it cannot be read.
double soft_limit(int resource);

}  // namespace holdfast::posix
