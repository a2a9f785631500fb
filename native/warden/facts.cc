#include "facts.h"

#include "channel.h"
#include "procfs.h"
#include "sys.h"

namespace holdfast::warden {

void Facts::exit(int wait_status, const struct rusage& usage) {
  status = wait_status;
  user_us = microseconds(usage.ru_utime);
  system_us = microseconds(usage.ru_stime);
  max_rss_kib = static_cast<uint64_t>(usage.ru_maxrss);
  owed |= kExited;
}

void Facts::stray(int member, EndedBy ended_by, bool counted) {
  for (uint32_t i = 0; i < listed; ++i) {
    MemberList::Entry& entry = members->entries[i];
    if (entry.pid != member) continue;
    if (entry.ended_by != ended_by) {
      entry.ended_by = ended_by;
      entry.owed = true;
      owed |= kMembers;
    }
    return;
  }
  if (!counted) ++strays;
  if (listed == kMaxListed) return;
  MemberList::Entry& entry = members->entries[listed++];
  entry.pid = member;
  entry.ended_by = ended_by;
  entry.owed = true;
  read_argv0(member, entry.argv0);
  owed |= kMembers;
}

bool Facts::tell(int channel) {
  const auto sent = [&](uint32_t bit, Sent result) {
    if (result == Sent::full) return false;
    owed &= ~bit;
    return true;
  };
  if ((owed & kStarted) != 0) {
    StartedEvent event = {{}, pid, static_cast<int32_t>(sys::getpid())};
    if (!sent(kStarted, send(channel, Kind::started, range, event))) return false;
  }
  for (uint32_t i = 0; i < listed && (owed & kMembers) != 0; ++i) {
    MemberList::Entry& entry = members->entries[i];
    if (!entry.owed) continue;
    MemberEvent event = {{}, entry.pid, entry.ended_by, {}};
    __builtin_memcpy(event.argv0, entry.argv0, sizeof event.argv0);
    if (!sent(0, send(channel, Kind::stray, range, event))) return false;
    entry.owed = false;
  }
  owed &= ~kMembers;
  if ((owed & kLimits) != 0) {
    LimitsEvent event = {{}, limits.oom_kills, limits.peak_bytes, limits.throttled_us};
    if (!sent(kLimits, send(channel, Kind::limits, range, event))) return false;
  }
  if ((owed & kExited) != 0) {
    ExitedEvent event = {{}, pid, status, user_us, system_us, max_rss_kib};
    if (!sent(kExited, send(channel, Kind::exited, range, event))) return false;
  }
  if ((owed & kEmpty) != 0) {
    EmptyEvent event = {{}, proven ? 1u : 0u, strays, has_usage ? 1u : 0u, 0, range_user_us, range_system_us};
    if (!sent(kEmpty, send(channel, Kind::empty, range, event))) return false;
  }
  if ((owed & kFailed) != 0) {
    FailedEvent event = {{}, failure.step, failure.error};
    if (!sent(kFailed, send(channel, Kind::failed, range, event))) return false;
  }
  return true;
}

}  // namespace holdfast::warden
