// One range of the real source with everybody who moves it: its caller, the launcher, the owner and the clock. Whatever
// they do, in whatever order, is checked against what a range promises.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platform/posix/range.h"
#include "platform/posix/reactor.h"

namespace holdfast::test {

enum class Event {
  launch,           // the launcher has its turn, and hands the launch to an owner
  refuse,           // the launcher has its turn, and the program is missing
  started,          // the owner tells
  failed,
  exited,
  escaped,
  emptied,
  observed_empty,
  lost,             // the owner cannot be asked any more
  status_lost,      // … nor the command's status
  close_stdout,     // the caller's end of a pipe is at its end
  close_stderr,
  terminate,        // the caller, or its abort signal
  kill,             // disposal without patience, or the end of the host
  time,             // until the next timer
  count
};

const char* name(Event event);

class World {
 public:
  World();
  /// False: it cannot happen here (an owner tells nothing of a range that it does not hold).
  bool can(Event event) const;
  void happen(Event event);
  /// Everything that still has to happen for the range to be over, and then that it is.
  void finish();
  /// What a promise was broken by, "" while none was.
  const std::string& broken() const { return state_->broken; }
  /// What can be seen of the range from outside, for counting.
  std::string digest() const;

 private:
  struct State {
    int settled = 0, failed = 0, lost_done = 0, lost_all = 0, empty = 0, ended = 0, started = 0;
    int terms = 0, kills = 0, released = 0;
    bool nothing_left = false;  // nobody may be signalled any more
    std::string broken;
  };
  class Sink;
  class Signals;

  void check(bool promise, const char* what);
  void claim();
  void check_after(Event event);

  std::shared_ptr<State> state_ = std::make_shared<State>();
  posix::Reactor reactor_;
  std::shared_ptr<posix::Range> range_;
  bool has_turn_ = false, held_ = false, told_start_ = false, told_exit_ = false, told_end_ = false;
  bool closed_[2] = {false, false};
  int terminates_ = 0, kills_ = 0;
};

}  // namespace holdfast::test
