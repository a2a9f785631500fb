#include "pid_set.h"

#include "sys.h"

namespace holdfast::warden {

bool PidSet::add(int32_t pid) {
  if (pid <= 1 || pid >= kMaxPid || list_.count == kMaxCount || has(pid)) return false;
  bits_[pid / 64] |= uint64_t{1} << (pid % 64);
  list_.pids[list_.count++] = pid;
  return true;
}

bool PidSet::has(int32_t pid) const {
  return pid > 0 && pid < kMaxPid && (bits_[pid / 64] >> (pid % 64) & 1) != 0;
}

void PidSet::clear() {
  // A large set has touched many pages: give them back whole (both parts begin and end on a page).
  if (list_.count > 1024 && sys::call(__NR_madvise, bits_, sizeof bits_, MADV_DONTNEED) == 0) {
    sys::call(__NR_madvise, &list_, sizeof list_, MADV_DONTNEED);
  } else {
    for (int i = 0; i < list_.count; ++i) bits_[list_.pids[i] / 64] = 0;
  }
  list_.count = 0;
}

}  // namespace holdfast::warden
