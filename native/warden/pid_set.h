// A set of process ids that remembers the order of adding. Fixed memory, touched only as far as it is used and given
// back when a large set is cleared.
#pragma once
#include <stdint.h>

namespace holdfast::warden {

class PidSet {
 public:
  static constexpr int32_t kMaxPid = 1 << 22;  // PID_MAX_LIMIT of the kernel
  static constexpr int kMaxCount = 1 << 18;

  /// True when it was not in the set. What does not fit any more is left out (callers repeat until nothing is new).
  bool add(int32_t pid);
  bool has(int32_t pid) const;
  int count() const { return list_.count; }
  int32_t at(int index) const { return list_.pids[index]; }
  void clear();

 private:
  alignas(4096) uint64_t bits_[kMaxPid / 64] = {};
  struct alignas(4096) {
    int count = 0;
    int32_t pids[kMaxCount] = {};
  } list_;
};

}  // namespace holdfast::warden
