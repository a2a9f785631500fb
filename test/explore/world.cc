#include "world.h"

#include "virtual_reactor.h"

namespace holdfast::test {

using posix::Range;

namespace {

constexpr pid_t kPid = 4711;
constexpr int kExitCode3 = 3 << 8;  // as wait4 gives it

}  // namespace

/// Counts what the environment is told.
class World::Sink final : public core::FactSink {
 public:
  explicit Sink(std::shared_ptr<State> state) : state_(std::move(state)) {}
  void post(std::unique_ptr<core::Fact> fact) override {
    State& now = *state_;
    if (now.ended > 0) now.broken = "a fact after the last one";
    switch (fact->kind) {
      case core::Fact::Kind::started: now.started++; break;
      case core::Fact::Kind::failed: now.failed++; break;
      case core::Fact::Kind::settled: now.settled++; break;
      case core::Fact::Kind::empty: now.empty++; break;
      case core::Fact::Kind::lost: (fact->number == 0 ? now.lost_done : now.lost_all)++; break;
      case core::Fact::Kind::ended: now.ended++; break;
      case core::Fact::Kind::grew:
      case core::Fact::Kind::wrote:
      case core::Fact::Kind::warning: now.broken = "a fact of a stream that is not there"; break;
    }
  }

 private:
  std::shared_ptr<State> state_;
};

/// Counts what the owner is asked for.
class World::Signals final : public posix::Holder {
 public:
  explicit Signals(std::shared_ptr<State> state) : state_(std::move(state)) {}
  void term() override {
    if (state_->nothing_left) state_->broken = "TERM after nothing was left";
    if (state_->kills > 0) state_->broken = "TERM after KILL";
    if (++state_->terms > 1) state_->broken = "TERM twice";
  }
  void kill() override {
    if (state_->nothing_left) state_->broken = "KILL after nothing was left";
    state_->kills++;
  }
  void release() override {
    if (++state_->released > 1) state_->broken = "released twice";
  }
  std::vector<pid_t> members() const override { return {}; }

 private:
  std::shared_ptr<State> state_;
};

const char* name(Event event) {
  static constexpr const char* kNames[] = {"launch", "refuse", "started", "failed", "exited", "escaped", "emptied", "observed_empty",
                                           "lost", "status_lost", "close_stdout", "close_stderr", "terminate", "kill", "time"};
  return kNames[static_cast<int>(event)];
}

World::World() {
  reset_time();
  posix::RangeRequest request;
  request.grace_ms = 5000;
  request.kinds[0] = request.kinds[1] = posix::StreamKind::pipe;
  range_ = std::make_shared<Range>(1, std::move(request), std::make_shared<Sink>(state_));
}

bool World::can(Event event) const {
  const bool held = held_ && !told_end_;
  switch (event) {
    case Event::launch:
    case Event::refuse: return !has_turn_;
    case Event::started: return held && !told_start_ && !told_exit_;
    case Event::failed: return held && !told_start_ && !told_exit_;
    case Event::exited: return held && !told_exit_;
    case Event::escaped:
    case Event::emptied:
    case Event::observed_empty:
    case Event::lost: return held;
    case Event::status_lost: return held && !told_exit_;
    case Event::close_stdout: return !closed_[0];
    case Event::close_stderr: return !closed_[1];
    case Event::terminate: return terminates_ < 2;
    case Event::kill: return kills_ < 2;
    case Event::time: return timers() > 0;
    case Event::count: break;
  }
  return false;
}

/// As launcher.cc has it: a range that was ended before its turn is not launched, but told what it would have failed by.
void World::claim() {
  has_turn_ = true;
  if (!range_->claim_launch()) return;
  if (const int signal = range_->cancelled_by()) return range_->cancel_launch(signal);
  held_ = true;
}

void World::happen(Event event) {
  switch (event) {
    case Event::launch: {
      claim();
      if (!held_) break;
      posix::Fd none[2];
      range_->adopt(reactor_, core::Owner::cgroup, std::make_shared<Signals>(state_), none, posix::Fd());
      break;
    }
    case Event::refuse:
      has_turn_ = true;
      if (range_->claim_launch()) range_->failed({.error = 2, .code = {}, .stage = core::Stage::resolve, .syscall = "spawn", .subject = "x"});
      break;
    case Event::started: told_start_ = true; range_->started(kPid); break;
    case Event::failed: told_end_ = true; state_->nothing_left = true; range_->failed({.error = 2, .code = {}, .stage = core::Stage::launch, .syscall = "spawn", .subject = "x"}); break;
    case Event::exited: told_exit_ = true; range_->exited(kPid, kExitCode3, std::nullopt); break;
    case Event::escaped: range_->member(kPid + 1, "x", 'K', true); break;
    case Event::emptied:
    case Event::observed_empty: told_end_ = true; state_->nothing_left = true; range_->emptied(event == Event::emptied, 0, std::nullopt); break;
    case Event::lost: told_end_ = true; state_->nothing_left = true; range_->lost("gone"); break;
    case Event::status_lost: told_exit_ = true; range_->status_lost("gone"); break;
    case Event::close_stdout: closed_[0] = true; range_->stream_closed(1); break;
    case Event::close_stderr: closed_[1] = true; range_->stream_closed(2); break;
    case Event::terminate: terminates_++; range_->terminate(reactor_); break;
    case Event::kill: kills_++; range_->kill_now(reactor_); break;
    case Event::time: run_next_timer(); break;
    case Event::count: break;
  }
  check_after(event);
}

void World::check(bool promise, const char* what) {
  if (!promise && state_->broken.empty()) state_->broken = what;
}

void World::check_after(Event) {
  const State& now = *state_;
  check(now.settled + now.failed + now.lost_done <= 1, "done was settled twice");
  check(now.failed == 0 || (now.lost_all == 0 && now.empty == 0), "a launch that failed was told of again");
  check(now.empty + now.lost_all + now.failed <= 1, "the end of the range was told twice");
  check(now.started <= 1, "started twice");
  check(now.ended <= 1, "ended twice");
  if (!range_->over()) return;
  check(now.ended == 1, "over without the last fact");
  check(now.settled + now.failed + now.lost_done + now.lost_all >= 1, "over with done still pending");
  check(now.empty + now.lost_all + now.failed == 1, "over with waitForExit still pending");
  check(timers() == 0, "a timer of a range that is over");
  check(!held_ || now.released == 1, "an owner of a range that is over");
  check(range_->facts().holder == nullptr, "a holder of a range that is over");
  check(range_->facts().proof != posix::RangeFacts::Proof::pending, "over, and nothing is said of its end");
}

void World::finish() {
  if (!has_turn_) happen(Event::launch);
  if (can(Event::exited)) happen(Event::exited);
  if (held_ && !told_end_) happen(Event::emptied);
  // Nobody closes the streams: the grace is what ends the waiting for them.
  for (int turns = 0; can(Event::time) && turns < 100; turns++) happen(Event::time);
  check(range_->over(), "everything has happened, and it is not over");
}

std::string World::digest() const {
  const posix::RangeFacts facts = range_->facts();
  const State& now = *state_;
  std::string all;
  for (const int part : {static_cast<int>(facts.launch), static_cast<int>(facts.proof), static_cast<int>(facts.drain), now.settled, now.failed, now.lost_done,
                         now.lost_all, now.empty, now.ended, now.started, now.terms, now.kills, now.released, static_cast<int>(timers()), int{has_turn_},
                         int{held_}, int{told_start_}, int{told_exit_}, int{told_end_}, int{closed_[0]}, int{closed_[1]}, terminates_, kills_}) {
    all.push_back(static_cast<char>('0' + part));
  }
  return all;
}

}  // namespace holdfast::test
