#include "threads.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace holdfast::linux_os {

namespace {

thread_local bool policy_changed = false;

// sched_setattr(2), which no C library wraps.
struct SchedulingAttributes {
  uint32_t size;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t slice_ns;  // of SCHED_OTHER and SCHED_BATCH: the time slice that is asked for (Linux 6.12; ignored before)
  uint64_t deadline_ns, period_ns;
};

/// Twice what the kernel gives by itself. With the usual slice a BATCH thread still takes the processor from whoever woke
/// it, in one wake-up of three (measured on Linux 6.18); and a longer one only makes it wait longer on a busy machine.
constexpr uint64_t kSliceNs = 6'000'000;
/// SCHED_FLAG_RESET_ON_FORK: the slice is this thread's alone.
constexpr uint64_t kResetOnFork = 1;

bool ask_for_long_slice() {
  SchedulingAttributes attributes{};
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return false;
  if (attributes.nice < 0) return false;  // a child would lose it by kResetOnFork
  attributes.size = sizeof attributes;
  attributes.policy = SCHED_BATCH;
  attributes.flags = kResetOnFork;
  attributes.slice_ns = kSliceNs;
  return ::syscall(SYS_sched_setattr, 0, &attributes, 0) == 0;
}

}  // namespace

void let_waker_run_on() {
  if (::sched_getscheduler(0) != SCHED_OTHER) return;
  const sched_param none{};
  policy_changed = ask_for_long_slice() || ::sched_setscheduler(0, SCHED_BATCH, &none) == 0;
}

int keep_host_policy(posix_spawnattr_t& attributes, short& flags) {
  if (!policy_changed) return 0;
  const sched_param none{};
  flags = static_cast<short>(flags | POSIX_SPAWN_SETSCHEDULER);
  if (const int error = posix_spawnattr_setschedpolicy(&attributes, SCHED_OTHER)) return error;
  return posix_spawnattr_setschedparam(&attributes, &none);
}

}  // namespace holdfast::linux_os
