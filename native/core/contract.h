// What a launch means whoever makes it: the host itself, a warden, a Job. Included by freestanding code: nothing but
// <stdint.h> here.
#pragma once
#include <stdint.h>

namespace holdfast::core {

/// Descriptor that a child of ours finds its control channel on (seam: SUBPROCESS_CONTROL_FD).
inline constexpr int kControlFd = 7;
/// Stray members that one range lists; all are counted.
inline constexpr int kMaxListed = 32;

/// What a range may use. 0: no limit of this kind.
struct Limits {
  uint64_t memory_bytes;  // with swap: none of it is swapped out
  uint64_t cpu_us;        // processor time in each 100 ms, of all processors together
  uint32_t processes;     // threads count
  uint32_t reserved;

  bool any() const { return memory_bytes != 0 || cpu_us != 0 || processes != 0; }
};

}  // namespace holdfast::core
