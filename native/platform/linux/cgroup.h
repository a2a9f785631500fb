// The host's side of the cgroup owner: finding the subtree below the host's own cgroup, and ending a leaf when the
// warden cannot do it any more. Making, placing, killing and proving are the warden's work.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platform/posix/descriptors.h"
#include "refusal.h"

namespace holdfast::linux_os {

/// The directory of this process's own cgroup in the unified (v2) hierarchy. Empty: `refusal` says why there is none
/// that could be used.
std::string own_cgroup(Refusal& refusal);

/// A directory below the host's cgroup in which the warden makes one leaf a range ("r<range>").
class CgroupTree {
 public:
  /// Makes `<parent>/holdfast-<pid>-<random>`. Null: `refusal` says what failed.
  static std::unique_ptr<CgroupTree> make(const std::string& parent, Refusal& refusal);

  int directory() const { return directory_.get(); }
  const std::string& path() const { return path_; }

  /// Somebody has removed it, which is possible while no leaf is in it.
  bool gone() const;
  /// Processes in the leaf now; outsiders of this pid namespace (shown as 0) are left out.
  std::vector<pid_t> members(std::uint64_t range) const;
  /// cgroup.kill, else KILL for each member. For a leaf whose warden is gone.
  void kill(std::uint64_t range) const;
  /// 1 populated, 0 empty or gone, -1 cannot be read.
  int populated(std::uint64_t range) const;
  void remove_leaf(std::uint64_t range) const;
  void remove() const;

 private:
  CgroupTree(std::string path, posix::Fd directory) : path_(std::move(path)), directory_(std::move(directory)) {}

  std::string path_;
  posix::Fd directory_;
};

}  // namespace holdfast::linux_os
