// How a range is ended: told by Ctrl-C or by the closing of its terminal, given its grace, then its Job is terminated.
#include "range.h"

namespace holdfast::windows {

namespace {

/// What tells the members of an end needs milliseconds. One that hangs (a scanner that does not let it start) must not hold the
/// range up for a long grace.
constexpr std::uint64_t kInterruptionMs = 30'000;

}  // namespace

void Range::terminate(Reactor& reactor) {
  if (over_ || empty_) return;
  if (!held_) {
    if (!cancel_waiting() && wanted_ == End::none) wanted_ = End::polite;
    return;
  }
  reactor_ = &reactor;
  escalate(escalation_.terminate(now_ms(), grace_ms_));
}

void Range::kill_now(Reactor& reactor) {
  if (over_ || empty_) return;
  if (!held_) {
    if (!cancel_waiting()) wanted_ = End::now;
    return;
  }
  reactor_ = &reactor;
  escalate(escalation_.kill_now(now_ms()));
}

void Range::escalate(core::Escalation::Actions actions) {
  if (actions.send_term) {
    interruption_asked_ = true;
    ask_politely();
  }
  if (held_ && actions.send_kill) {
    // Whoever has not told them by now comes too late.
    drop_interruption();
    // A failure shows as a Job that is not empty; the escalation repeats the call then.
    (void)held_->job.kill();
  }
  if (reactor_ == nullptr) return;
  reactor_->cancel(std::exchange(escalation_timer_, 0));
  if (const auto deadline = escalation_.deadline()) {
    escalation_timer_ = reactor_->at(*deadline, [self = shared_from_this()] {
      self->escalation_timer_ = 0;
      self->escalate(self->escalation_.tick(now_ms()));
    });
  }
}

void Range::ask_politely() {
  if (!terminal_) return ask_for_interruption();
  // Whoever works on a terminal is used to its going away.
  terminal_->hang_up();
  std::lock_guard lock(mutex_);
  facts_.polite = RangeFacts::Polite::sent;
}

void Range::interruption_started(std::shared_ptr<Interruption> interruption) {
  // Too late, and what was started ends with the last reference to it.
  if (over_ || empty_ || facts_.polite != RangeFacts::Polite::unasked) return;
  if (!interruption) return interruption_ended(false);
  interruption_ = std::move(interruption);
  if (!::RegisterWaitForSingleObject(&interruption_wait_, interruption_->process.get(), &Range::process_ended, this, INFINITE, WT_EXECUTEONLYONCE)) {
    interruption_wait_ = nullptr;  // the slow timer finds its end
  }
  interruption_timer_ = reactor_->at(now_ms() + kInterruptionMs, [self = shared_from_this()] {
    self->interruption_timer_ = 0;
    self->interruption_ended(false);
  });
}

void Range::interruption_ended(bool told) {
  {
    std::lock_guard lock(mutex_);
    facts_.polite = told ? RangeFacts::Polite::sent : RangeFacts::Polite::unavailable;
  }
  drop_interruption();
  // A grace for nobody who was told would only be a delay.
  if (!told && !empty_) escalate(escalation_.kill_now(now_ms()));
}

void Range::drop_interruption() {
  // Waits for a callback that runs just now: it only posts, so it does not wait for us.
  if (interruption_wait_ != nullptr) ::UnregisterWaitEx(std::exchange(interruption_wait_, nullptr), INVALID_HANDLE_VALUE);
  if (reactor_ != nullptr) reactor_->cancel(std::exchange(interruption_timer_, 0));
  interruption_.reset();
  if (!interruption_asked_) return;
  std::lock_guard lock(mutex_);
  if (facts_.polite == RangeFacts::Polite::unasked) facts_.polite = RangeFacts::Polite::unavailable;
}

// Not launched yet: it never will be. False: a launch is under way, and started() ends it.
bool Range::cancel_waiting() {
  Phase expected = Phase::waiting;
  if (!phase_.compare_exchange_strong(expected, Phase::cancelled)) return expected == Phase::cancelled;
  cancelled_ = true;
  {
    std::lock_guard lock(mutex_);
    facts_.launch = RangeFacts::Launch::failed;
    facts_.proof = RangeFacts::Proof::proven;
    facts_.drain = RangeFacts::Drained::eof;
  }
  launch_known_.notify_all();
  request_.reset();
  abandon_streams();
  empty_ = true;
  post(core::Fact::Kind::empty, "proven");
  post_settled();
  return true;
}

}  // namespace holdfast::windows
