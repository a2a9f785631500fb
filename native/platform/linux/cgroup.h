// The host's side of the cgroup kinds: the directory in which leaves are made, and ending a leaf when the warden cannot
// do it any more. Making leaves, placing, killing and proving are the warden's work.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platform/posix/descriptors.h"
#include "warden/protocol.h"
#include "refusal.h"

namespace holdfast::linux_os {

/// "holdfast-<pid>-<random>".
std::string unique_cgroup_name();

/// A directory in which the warden makes one leaf a range ("r<range>").
class CgroupTree {
 public:
  /// Makes `<parent>/holdfast-<pid>-<random>`. Null: `refusal` says what failed.
  static std::unique_ptr<CgroupTree> make(const std::string& parent, Refusal& refusal);
  /// Takes one that somebody else has made, and will remove.
  static std::unique_ptr<CgroupTree> open(const std::string& path, Refusal& refusal);

  int directory() const { return directory_.get(); }
  const std::string& path() const { return path_; }
  /// Removed by us, here or in the warden.
  bool is_ours() const { return ours_; }

  /// Makes leaves able to enforce these limits: enables what is missing of the controllers that we have for our children.
  /// "": they are; else why not.
  std::string enable(const warden::Limits& limits);

  /// Processes in the leaf now; outsiders of this pid namespace (shown as 0) are left out.
  std::vector<pid_t> members(std::uint64_t range) const;
  /// cgroup.kill, else KILL for each member. For a leaf whose warden is gone.
  void kill(std::uint64_t range) const;
  /// 1 populated, 0 empty or gone, -1 cannot be read.
  int populated(std::uint64_t range) const;
  void remove_leaf(std::uint64_t range) const;
  void remove() const;

 private:
  CgroupTree(std::string path, posix::Fd directory, bool ours) : path_(std::move(path)), directory_(std::move(directory)), ours_(ours) {}

  std::string path_;
  posix::Fd directory_;
  bool ours_;
};

}  // namespace holdfast::linux_os
