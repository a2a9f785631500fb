#include "range.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>

namespace holdfast::posix {

namespace {

/// How long `done` waits at its deadline for a spill whose disk does not answer.
constexpr std::uint64_t kSettleSlackUs = 250 * 1000;
/// How long a TERM waits for the result of a launch that is under way.
constexpr std::uint64_t kLaunchSlackUs = 100 * 1000;

std::uint64_t now_ms() { return now_us() / 1000; }

unsigned awaited_streams(const RangeRequest& request) {
  unsigned count = 0;
  for (const StreamKind kind : request.kinds) count += kind != StreamKind::inherit;
  return count;
}

}  // namespace

Range::Range(std::uint64_t range, RangeRequest request, std::shared_ptr<core::FactSink> facts_to)
    : id(range),
      sink(std::move(facts_to)),
      request_(std::make_unique<RangeRequest>(std::move(request))),
      collectors_{request_->collectors[0], request_->collectors[1]},
      terminal_(request_->terminal),
      grace_ms_(request_->grace_ms),
      drain_index_{0, request_->kinds[0] == StreamKind::inherit ? 0u : 1u},
      drain_(awaited_streams(*request_), grace_ms_) {}

const LaunchSpec& Range::spec() const {
  static const LaunchSpec none;
  return request_ ? request_->launch : none;
}

RangeFacts Range::facts() const {
  std::lock_guard lock(mutex_);
  return facts_;
}

pid_t Range::wait_pid(int timeout_ms) {
  std::unique_lock lock(mutex_);
  launch_known_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                         [this] { return facts_.launch != RangeFacts::Launch::pending; });
  return facts_.launch == RangeFacts::Launch::started ? facts_.pid : -1;
}

bool Range::claim_launch() {
  Phase expected = Phase::waiting;
  return phase_.compare_exchange_strong(expected, Phase::claimed);
}

void Range::post(core::Fact::Kind kind, std::string text, std::int64_t number) {
  auto fact = std::make_unique<core::Fact>();
  fact->range = id;
  fact->kind = kind;
  fact->text[0] = std::move(text);
  fact->number = number;
  sink->post(std::move(fact));
}

void Range::adopt(Reactor& reactor, core::Owner owner, std::shared_ptr<Holder> holder, Fd outputs[2],
                  Fd input) {
  reactor_ = &reactor;
  holder_ = holder;
  {
    std::lock_guard lock(mutex_);
    facts_.owner = owner;
    facts_.holder = std::move(holder);
  }
  for (int i = 0; i < 2; i++) {
    if (!collectors_[i]) continue;
    collecting_[i] = true;
    collectors_[i]->start(reactor, std::move(outputs[i]), [self = shared_from_this(), i] { self->collector_ended(i); });
  }
  if (terminal_) terminal_->start(reactor);
  if (input) {
    input_ = std::move(input);
    input_data_ = std::move(*request_->stdin_data);
    write_input();
  }
  if (kill_wanted_) {
    kill_now(reactor);
  } else if (terminate_wanted_) {
    terminate(reactor);
  }
}

// --- what the owner says ---

void Range::started(pid_t pid) {
  {
    std::lock_guard lock(mutex_);
    facts_.launch = RangeFacts::Launch::started;
    facts_.pid = pid;
  }
  launch_known_.notify_all();
  launch_known_here_ = true;
  if (term_timer_ != 0) {
    reactor_->cancel(std::exchange(term_timer_, 0));
    holder_->term();
  }
  request_.reset();
  post(core::Fact::Kind::started, core::name(*facts_.owner), pid);
}

void Range::failed(const core::Failure& failure) {
  if (over_ || launch_known_here_) return;  // what has run cannot fail to start, whoever says so
  {
    std::lock_guard lock(mutex_);
    facts_.launch = RangeFacts::Launch::failed;
    facts_.proof = RangeFacts::Proof::proven;
  }
  launch_known_.notify_all();
  request_.reset();
  abandon_streams();
  auto fact = std::make_unique<core::Fact>();
  fact->range = id;
  fact->kind = core::Fact::Kind::failed;
  fact->number = failure.error;
  fact->text[0] = failure.code;
  fact->text[1] = std::to_string(static_cast<int>(failure.stage));
  fact->text[2] = failure.syscall;
  fact->text[3] = failure.subject;
  sink->post(std::move(fact));
  settled_ = empty_ = true;
  finish_if_over();
}

void Range::exited(pid_t pid, int status, const std::optional<Usage>& usage) {
  {
    std::lock_guard lock(mutex_);
    if (facts_.launch == RangeFacts::Launch::pending) {
      // Ended between fork and exec, by a terminate(): it had a process, so it counts as started.
      facts_.launch = RangeFacts::Launch::started;
      facts_.pid = pid;
    }
    facts_.usage = usage;
  }
  launch_known_.notify_all();
  launch_known_here_ = true;
  request_.reset();
  status_ = status;
  has_status_ = true;
  // Bytes that were left to gather are wanted now; an end of file behind them settles at once.
  for (int i = 0; i < 2; i++) {
    if (collecting_[i]) collectors_[i]->hurry();
  }
  if (terminal_) terminal_->exited();
  drain_.exited(now_ms());
  drain();
}

void Range::used(const Usage& usage) {
  std::lock_guard lock(mutex_);
  if (!facts_.usage) facts_.usage = usage;
}

void Range::limited(const LimitFacts& limits) {
  std::lock_guard lock(mutex_);
  facts_.limits = limits;
}

void Range::member(pid_t pid, std::string argv0, char ended_by, bool escaped) {
  std::lock_guard lock(mutex_);
  MemberFacts& facts = escaped ? facts_.escaped : facts_.strays;
  for (MemberFact& known : facts.listed) {
    if (known.pid != pid) continue;
    known.ended_by = ended_by;  // it got TERM before and needed KILL
    return;
  }
  facts.count++;
  if (facts.listed.size() < core::kMaxListed) facts.listed.push_back({pid, std::move(argv0), ended_by});
}

void Range::emptied(bool proven, std::uint64_t strays, std::optional<Usage> usage) {
  if (empty_) return;
  empty_ = true;
  {
    std::lock_guard lock(mutex_);
    facts_.proof = proven ? RangeFacts::Proof::proven : RangeFacts::Proof::observed;
    if (strays > facts_.strays.count) facts_.strays.count = strays;
    facts_.range_usage = usage;
    facts_.holder.reset();
  }
  escalation_.empty();
  escalate({});
  end_input();
  if (terminal_) terminal_->close();
  post(core::Fact::Kind::empty, proven ? "proven" : "observed");
  // Every exit is told before this. Only a supervisor that dies between reaping the command and telling of it, or before
  // it has started one, leaves a range without; nobody knows then.
  status_lost("whoever held this range died before it could report the command's exit status");
  finish_if_over();
}

void Range::status_lost(const std::string& message) {
  if (has_status_ || settled_) return;
  {
    std::lock_guard lock(mutex_);
    if (facts_.launch == RangeFacts::Launch::pending) facts_.launch = RangeFacts::Launch::failed;
  }
  launch_known_.notify_all();
  post(core::Fact::Kind::lost, message, 0);
  settled_ = true;
  abandon_streams();
  finish_if_over();
}

void Range::lost(const std::string& message) {
  if (over_ || empty_) return;  // empty: it needs no owner any more, and its streams end by themselves
  {
    std::lock_guard lock(mutex_);
    facts_.proof = RangeFacts::Proof::observed;
    if (facts_.launch == RangeFacts::Launch::pending) facts_.launch = RangeFacts::Launch::failed;
    facts_.holder.reset();
  }
  launch_known_.notify_all();
  escalation_.empty();
  escalate({});
  post(core::Fact::Kind::lost, message, 1);
  settled_ = empty_ = true;
  abandon_streams();
  finish_if_over();
}

// --- drain and settlement ---

void Range::collector_ended(int index) {
  collecting_[index] = false;
  drain_.stream_ended(drain_index_[index]);
  drain();
  if (settling_ && !collecting_[0] && !collecting_[1]) post_settled();
  finish_if_over();
}

void Range::stream_closed(int stream) {
  drain_.stream_ended(drain_index_[stream - 1]);
  drain();
}

void Range::drain() {
  if (settled_ || settling_ || reactor_ == nullptr) return;
  reactor_->cancel(std::exchange(drain_timer_, 0));
  switch (drain_.verdict()) {
    case core::Drain::Verdict::eof: return settle(false);
    case core::Drain::Verdict::deadline: return settle(true);
    case core::Drain::Verdict::failed:
    case core::Drain::Verdict::none: break;
  }
  if (const auto deadline = drain_.deadline()) {
    drain_timer_ = reactor_->at(*deadline * 1000, [self = shared_from_this()] {
      self->drain_timer_ = 0;
      self->drain_.tick(now_ms());
      self->drain();
    });
  }
}

void Range::settle(bool deadline) {
  settling_ = true;
  {
    std::lock_guard lock(mutex_);
    facts_.drain = deadline ? RangeFacts::Drained::deadline : RangeFacts::Drained::eof;
  }
  for (int i = 0; i < 2; i++) {
    if (collecting_[i]) collectors_[i]->close();
  }
  if (settled_) return;  // the last collector's end has settled it
  if (!collecting_[0] && !collecting_[1]) return post_settled();
  settle_timer_ = reactor_->at(now_us() + kSettleSlackUs, [self = shared_from_this()] {
    self->settle_timer_ = 0;
    self->post_settled();
  });
}

void Range::post_settled() {
  if (settled_) return;
  settled_ = true;
  if (reactor_ != nullptr) reactor_->cancel(std::exchange(settle_timer_, 0));
  auto fact = std::make_unique<core::Fact>();
  fact->range = id;
  fact->kind = core::Fact::Kind::settled;
  fact->has_number = WIFEXITED(status_);
  fact->number = fact->has_number ? WEXITSTATUS(status_) : 0;
  fact->second = WIFSIGNALED(status_) ? WTERMSIG(status_) : 0;
  fact->text[0] = facts_.drain == RangeFacts::Drained::deadline ? "deadline" : "eof";
  sink->post(std::move(fact));
  finish_if_over();
}

// Nothing will fill the streams any more: readers see their end.
void Range::abandon_streams() {
  end_input();
  if (terminal_) terminal_->close();
  for (const auto& collector : collectors_) {
    if (!collector) continue;
    if (reactor_ != nullptr) {
      collector->close();
    } else {
      collector->abandon();
    }
  }
}

void Range::finish_if_over() {
  if (over_ || !settled_ || !empty_ || collecting_[0] || collecting_[1]) return;
  over_ = true;
  // A range that was never adopted may have a timer as well, see cancel_waiting(): it would keep all of it for a grace.
  if (Reactor* const reactor = reactor_ != nullptr ? reactor_ : waits_in_) {
    for (Reactor::TimerId* timer : {&drain_timer_, &escalation_timer_, &settle_timer_, &term_timer_}) {
      reactor->cancel(std::exchange(*timer, 0));
    }
  }
  end_input();
  {
    std::lock_guard lock(mutex_);
    facts_.holder.reset();
  }
  if (holder_) holder_->release();
  holder_.reset();
  post(core::Fact::Kind::ended);
  if (auto done = std::exchange(on_over, nullptr)) done();
}

// --- termination ---

void Range::terminate(Reactor& reactor) {
  if (over_ || empty_) return;
  terminate_wanted_ = true;
  if (holder_ == nullptr) return cancel_waiting(reactor, SIGTERM, grace_ms_);
  reactor_ = &reactor;
  escalate(escalation_.terminate(now_ms(), grace_ms_));
}

void Range::kill_now(Reactor& reactor) {
  if (over_ || empty_) return;
  kill_wanted_ = true;
  if (holder_ == nullptr) return cancel_waiting(reactor, SIGKILL, 0);
  reactor_ = &reactor;
  escalate(escalation_.kill_now(now_ms()));
}

void Range::escalate(core::Escalation::Actions actions) {
  if (holder_ != nullptr) {
    if (actions.send_term) send_term();
    if (actions.send_kill) {
      // A TERM may still wait for the result of the launch; after a KILL it would only be in the way of its repetition.
      if (reactor_ != nullptr) reactor_->cancel(std::exchange(term_timer_, 0));
      holder_->kill();
    }
  }
  if (reactor_ == nullptr) return;
  reactor_->cancel(std::exchange(escalation_timer_, 0));
  if (const auto deadline = escalation_.deadline()) {
    escalation_timer_ = reactor_->at(*deadline * 1000, [self = shared_from_this()] {
      self->escalation_timer_ = 0;
      self->escalate(self->escalation_.tick(now_ms()));
    });
  }
}

// Between fork and exec a TERM would hide that the program is missing: the child would die of it before it can say so.
// The launch is mostly known within a millisecond; one that hangs in its chdir or exec is ended all the same.
void Range::send_term() {
  if (!launch_known_here_) {
    term_timer_ = reactor_->at(now_us() + kLaunchSlackUs, [self = shared_from_this()] {
      self->term_timer_ = 0;
      if (self->holder_ != nullptr && !self->empty_) self->holder_->term();
    });
    return;
  }
  holder_->term();
}

// Not launched yet. The launcher finds the mark when the launch has its turn, and only looks whether it would have failed:
// a wrong program is told even to those who have lost interest. A launcher that hangs (a lookup on a dead file system)
// does not get the time; a launch that it has in hand already is ended by adopt().
void Range::cancel_waiting(Reactor& reactor, int signal, std::uint64_t patience_ms) {
  cancelled_by_.store(signal);
  waits_in_ = &reactor;
  reactor.cancel(escalation_timer_);
  escalation_timer_ = reactor.at(now_us() + patience_ms * 1000, [self = shared_from_this(), signal] {
    self->escalation_timer_ = 0;
    Phase expected = Phase::waiting;
    if (self->phase_.compare_exchange_strong(expected, Phase::cancelled)) self->cancel_launch(signal);
  });
}

void Range::cancel_launch(int signal) {
  if (over_ || launch_known_here_) return;  // what has run cannot fail to start, whoever says so
  {
    std::lock_guard lock(mutex_);
    facts_.launch = RangeFacts::Launch::failed;
    facts_.proof = RangeFacts::Proof::proven;
    facts_.drain = RangeFacts::Drained::eof;
  }
  launch_known_.notify_all();
  request_.reset();  // closes the child's ends
  abandon_streams();
  status_ = signal;
  empty_ = true;
  post(core::Fact::Kind::empty, "proven");
  post_settled();
}

// --- stdin data ---

void Range::write_input() {
  while (input_written_ < input_data_.size()) {
    const ssize_t n = ::write(input_.get(), input_data_.data() + input_written_, input_data_.size() - input_written_);
    if (n >= 0) {
      input_written_ += static_cast<std::size_t>(n);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN) {
      if (input_watch_ == 0) {
        input_watch_ = reactor_->watch(input_.get(), Poller::kWrite, [self = shared_from_this()](std::uint32_t) { self->write_input(); });
        if (input_watch_ == 0) end_input();
      }
      return;
    }
    break;  // EPIPE: the command does not want the rest, and that is its right
  }
  end_input();
}

void Range::end_input() {
  if (reactor_ != nullptr) reactor_->unwatch(std::exchange(input_watch_, 0));
  input_.reset();
  input_data_ = {};
  input_written_ = 0;
}

}  // namespace holdfast::posix
