// What the warden knows about its ranges: slots in one mapping that is touched only as far as it is used.
#pragma once
#include <stdint.h>

#include "facts.h"
#include "protocol.h"
#include "scratch.h"

namespace holdfast::warden {

/// How far the end of a range has been asked for.
enum class Ending : uint8_t { none, freezing, termed, killing };

struct Range {
  Facts facts;  // facts.range == 0: the slot is free
  Hold hold;
  Ending ending;
  bool reaped;    // the direct child (command or supervisor) has been reaped
  bool watched;   // epoll watches events_fd
  bool polled;    // epoll had no room for a watch of this range: look on a timer
  bool vacated;   // its leaf was seen empty in this turn
  bool lost;      // its supervisor ended before it was empty
  bool removing;  // the empty leaf does not go yet
  bool observed;  // something was seen outside its leaf: emptiness is not proven any more
  bool dying;     // a member has left the leaf but is not reaped yet
  bool over;      // facts has its last event; the slot is freed when that is sent
  int child;      // pid of the direct child until it is reaped, else 0
  int status_fd;  // the launch in flight, else -1
  Scratch scratch;  // of the launch in flight
  int events_fd;  // cgroup.events of the leaf (cgroup kinds), else -1
  uint32_t backoff_ms;
  uint64_t due_ms;       // when the next step is due, 0 for never
  uint64_t deadline_ms;  // of the freeze, or of the removal
};

class Table {
 public:
  static constexpr int kSlots = 8192;
  /// Launches beyond this are refused; the slots above it hold refusals until they are sent.
  static constexpr int kMostLive = 8000;

  /// False when the mapping cannot be made.
  bool init();
  /// A fresh slot for the range, nullptr when all are taken.
  Range* add(uint64_t range, Hold hold);
  Range* find(uint64_t range);
  Range* find_child(int pid);
  void set_child(Range& range, int pid);
  void remove(Range& range);

  int live() const { return live_; }
  bool full() const { return live_ == kSlots; }
  int index(const Range& range) const { return static_cast<int>(&range - ranges_); }
  Range* at(int index) { return index >= 0 && index < end_ && keys_[index].id != 0 ? &ranges_[index] : nullptr; }
  /// Slots in use are below this.
  int end() const { return end_; }
  /// Written by the supervisor of a slot, so that its command is known even when the supervisor is lost.
  int32_t& shared_command(const Range& range) { return commands_[index(range)]; }

 private:
  Range* ranges_ = nullptr;
  MemberList* members_ = nullptr;
  // Apart from the slots: a search reads a few cache lines, not a slot each.
  struct Keys {
    uint64_t id;  // 0: the slot is free
    int32_t child;
  };
  Keys* keys_ = nullptr;
  int32_t* commands_ = nullptr;
  int end_ = 0;
  int live_ = 0;
};

}  // namespace holdfast::warden
