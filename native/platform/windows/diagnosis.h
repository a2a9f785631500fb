// What this host can do, for people and for reports. Launch thread.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/owner.h"
#include "reactor.h"

namespace holdfast::windows {

struct OwnerFinding {
  core::Owner owner;
  bool available;
  std::string reason;
};

struct Diagnosis {
  std::vector<OwnerFinding> owners;
  core::Owner chosen = core::Owner::job;
  std::string warden_from = "none", warden_path;
  std::int64_t warden_pid = -1;
  std::vector<std::pair<std::string, bool>> kernel;
  std::vector<std::pair<std::string, double>> limits;
};

Diagnosis look_around(Reactor& reactor);

}  // namespace holdfast::windows
