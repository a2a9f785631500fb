// The owner of one subreaper range: a fork of the warden that is child subreaper of everything its command starts.
#pragma once
#include <stdint.h>

#include "launch.h"

namespace holdfast::warden {

struct Supervision {
  uint64_t range;
  LaunchFds fds;
  uint32_t block_size;
  int lifeline;       // read end of a pipe whose write end only the warden holds
  int32_t* command;   // shared with the warden: pid of the command while it is not reaped
  const struct rlimit64* own_descriptors;
};

/// Runs in the fork and never returns. Exits with 0 when the range is empty and the host has been told (or is gone);
/// any other end means that members may be alive, and they are the warden's then.
[[noreturn]] void supervise(const Supervision& supervision);

}  // namespace holdfast::warden
