// What this host can do, for people and for reports. Launch thread.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "owners.h"

namespace holdfast::linux_os {

struct Diagnosis {
  std::vector<OwnerFinding> owners;  // strongest first
  core::Owner chosen = core::Owner::group;  // what `auto` takes
  std::string warden_from = "none", warden_path;
  pid_t warden_pid = -1;
  std::vector<std::pair<std::string, bool>> kernel;
  std::vector<std::pair<std::string, double>> limits;  // infinite where there is none
};

Diagnosis look_around(Owners& owners, const std::string& credentials);

}  // namespace holdfast::linux_os
