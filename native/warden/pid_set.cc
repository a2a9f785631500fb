#include "pid_set.h"

#include "sys.h"

namespace holdfast::warden {

bool PidSet::add(int32_t pid) {
  if (pid <= 1 || pid >= kMaxPid || count_ == kMaxCount || has(pid)) return false;
  bits_[pid / 64] |= uint64_t{1} << (pid % 64);
  list_[count_++] = pid;
  return true;
}

bool PidSet::has(int32_t pid) const {
  return pid > 0 && pid < kMaxPid && (bits_[pid / 64] >> (pid % 64) & 1) != 0;
}

void PidSet::clear() {
  // A large set has touched many pages: give them back whole (both arrays begin and end on a page).
  if (count_ > 1024 && sys::call(__NR_madvise, bits_, sizeof bits_, MADV_DONTNEED) == 0) {
    sys::call(__NR_madvise, list_, sizeof list_, MADV_DONTNEED);
  } else {
    for (int i = 0; i < count_; ++i) bits_[list_[i] / 64] = 0;
  }
  count_ = 0;
}

}  // namespace holdfast::warden
