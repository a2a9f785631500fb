// The warden's state, and its duties as plain functions: ranges.cc (launch, reap, end), orphans.cc (who is ours),
// main.cc (the loop).
#pragma once
#include <stdint.h>

#include "cgroup.h"
#include "channel.h"
#include "launch.h"
#include "sys.h"
#include "table.h"

namespace holdfast::warden {

/// A descendant that was seen outside of its leaf.
struct Escape {
  int32_t pid;  // 0: the entry is free
  uint64_t start_time;
  uint64_t range;  // 0 when it cannot be told
  EndedBy ended_by;
  bool owed;
  char argv0[kArgv0Bytes];
};

struct Warden {
  static constexpr int kMostEscapes = 64;

  int self;
  int channel;
  int epoll;
  int signals;
  int lifeline[2];  // read end for supervisors; the write end closes with the warden
  struct rlimit64 own_descriptors;
  bool has_own_descriptors;

  Table table;

  // Answers that the socket did not take yet.
  ReadyEvent ready;
  SubtreeEvent answers[2];
  bool ready_owed;
  bool answer_owed[2];
  uint32_t pongs_owed;
  bool waits_for_room;  // epoll watches the channel for EPOLLOUT
  bool reads;           // … and for EPOLLIN

  uint64_t now_ms;
  uint64_t host_gone_ms;  // when the host went, 0 while it is there
  int lost_supervisors;   // ranges whose supervisor ended before they were empty
  uint64_t sweep_due_ms;
  uint32_t sweep_backoff_ms;
  bool unsettled;        // something happened that may have emptied a range
  bool orphans_visible;  // the last look_for_orphans could see them

  // Last, because large and mostly empty: pages that nobody touches cost nothing.
  Subtree subtrees[2];  // by Hold: cgroup, scope
  Escape escapes[kMostEscapes];

  Subtree* subtree(Hold hold) {
    return hold == Hold::cgroup ? &subtrees[0] : hold == Hold::scope ? &subtrees[1] : nullptr;
  }
};

// What an epoll event is about: the kind, and for a range its slot and the low bits of its number, because the slot may
// have been given to another range earlier in the same batch of events.
enum class Source : uint32_t { channel = 1, signals, status, events };
inline uint64_t event_data(Source source, int slot = 0, uint64_t range = 0) {
  return static_cast<uint64_t>(source) << 56 | static_cast<uint64_t>(slot) << 32 | (range & 0xffffffff);
}
bool watch(Warden& warden, int fd, uint32_t events, uint64_t data);
/// Removes and closes. Removal alone is not left to close(): a child that was forked meanwhile may hold a copy for a
/// moment, and epoll would go on reporting it.
void unwatch(Warden& warden, int& fd, bool watched);

// --- main.cc ---
/// Fetches every child that has ended: commands, supervisors, and orphans that came to the warden.
void reap(Warden& warden);

// --- ranges.cc ---
void launch(Warden& warden, const LaunchRequest& request, Incoming& message);
void term(Warden& warden, Range& range);
void kill(Warden& warden, Range& range);
void look_at_launch(Warden& warden, Range& range);
void child_reaped(Warden& warden, Range& range, int status, const struct rusage& usage);
/// Notices which ranges have become empty, and ends them.
void settle(Warden& warden);
/// The timed step of a range: freeze, repeated kill, repeated removal.
void step(Warden& warden, Range& range);
/// Sends what the host must know and frees the slot when all is said. False when the socket is full.
bool tell(Warden& warden, Range& range);
void finish(Warden& warden, Range& range, Facts::Owed last);

// --- orphans.cc ---
/// Looks at all children of the warden: marks ranges with a dying member, records escapes.
void look_for_orphans(Warden& warden);
/// Records the descendants of the members in g_found[0, members) that are outside of the range's leaf.
void record_escapes(Warden& warden, Range& range, int members);
/// Signals the escaped processes that are known to descend from the range.
void end_escapes(Warden& warden, const Range& range, EndedBy by);
/// Whether an escaped process that was signalled with this range still lives.
bool awaits_escapes(const Warden& warden, const Range& range);
void forget_escape(Warden& warden, int pid);
bool tell_escapes(Warden& warden);
/// Ends orphans that are nobody's any more: those of lost supervisors; all when the host is gone.
void sweep_orphans(Warden& warden);
void supervisor_lost(Warden& warden, Range& range);
/// An adopted child was reaped.
void orphan_reaped(Warden& warden, int pid, int status, const struct rusage& usage);

}  // namespace holdfast::warden
