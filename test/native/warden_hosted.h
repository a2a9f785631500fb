// Duties of the warden, run in the test's own process: for what the built binary does only on other kernels. A source of
// its own (warden_hosted.cc), because the kernel's headers and those of a libc exclude each other.
#pragma once
#include <cstdint>

namespace holdfast::test {

struct Ending {
  bool started;  // as many members as wanted were seen
  bool empty;    // … and all of them were ended in time
  uint32_t strays;
  bool leaf_removed;
};

/// Starts a command below an empty cgroup directory, waits for `members` members, and kills its range as on a kernel
/// before 5.14, which has no cgroup.kill. The descriptors stay the caller's.
Ending kill_without_cgroup_kill(int directory, int block, uint32_t block_size, int null, int members);

}  // namespace holdfast::test
