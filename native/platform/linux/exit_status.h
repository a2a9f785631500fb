// The exit status of a process that is no child of ours, for when its parent has died and cannot tell it any more.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "platform/posix/descriptors.h"

namespace holdfast::linux_os {

class ExitStatus {
 public:
  /// `pid` must be known to be the process that is meant, alive, at this moment.
  explicit ExitStatus(pid_t pid);
  /// As wait() gives it; nothing while the process lives, or where the kernel does not tell.
  std::optional<int> get() const;

 private:
  pid_t pid_;
  std::uint64_t start_time_ = 0;
  posix::Fd pidfd_;
};

}  // namespace holdfast::linux_os
