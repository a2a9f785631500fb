// What the host has to be told about one range. A message that the socket does not take is not queued: it is made from
// these facts when the socket takes it, so nothing is lost and nothing grows.
#pragma once
#include <stdint.h>

#include "cgroup.h"
#include "protocol.h"

struct rusage;

namespace holdfast::warden {

/// Members beyond the command that had to be ended, the first kMaxListed of them.
struct MemberList {
  struct Entry {
    int32_t pid;
    EndedBy ended_by;
    bool owed;
    char argv0[kArgv0Bytes];
  } entries[kMaxListed];
};

/// Microseconds of a struct timeval of any kind.
template <class Time>
uint64_t microseconds(const Time& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1000000 + static_cast<uint64_t>(time.tv_usec);
}

struct Facts {
  enum Owed : uint32_t { kStarted = 1, kFailed = 2, kMembers = 4, kExited = 8, kEmpty = 16, kLimits = 32 };

  uint64_t range;
  uint32_t owed;
  int32_t pid;  // the command
  int32_t status;
  uint64_t user_us, system_us, max_rss_kib;  // of the command
  ChildFailure failure;                      // step 0: none
  uint32_t strays;
  uint32_t listed;
  MemberList* members;
  bool proven;
  bool has_usage;
  uint64_t range_user_us, range_system_us;
  bool limited;       // the launch had limits
  LimitFacts limits;  // valid with limited

  bool failed() const { return failure.step != LaunchStep{}; }

  /// The command was reaped.
  void exit(int wait_status, const struct rusage& usage);
  /// A member had to be ended; its argv0 is read now. A member that survives its TERM is told again with kill.
  /// `counted`: it may be one of those that were counted, but not listed, at their TERM: do not count it again.
  void stray(int member, EndedBy ended_by, bool counted);

  /// Sends what is owed, in order: started, members, limits, exited, then empty or failed. True when nothing is owed any more
  /// (or nobody is there to be told).
  bool tell(int channel);
};

}  // namespace holdfast::warden
