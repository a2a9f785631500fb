#include "range.h"

#include <psapi.h>

#include <chrono>

namespace holdfast::windows {

namespace {

/// How long `done` waits at its deadline for a spill whose disk does not answer.
constexpr std::uint64_t kSettleSlackMs = 250;
/// A Job's messages are not guaranteed to come. What they tell is looked at this often without them.
constexpr std::uint64_t kLookAgainMs = 1000;
/// Exit code of whatever was ended by us, and of a command that was ended before it was launched.
constexpr DWORD kEndedCode = 1;

unsigned awaited_streams(const RangeRequest& request) {
  unsigned count = 0;
  for (const StreamKind kind : request.kinds) count += kind != StreamKind::inherit;
  return count;
}

std::uint64_t us(const FILETIME& time) { return ((static_cast<std::uint64_t>(time.dwHighDateTime) << 32) | time.dwLowDateTime) / 10; }

std::optional<Usage> usage_of(HANDLE process) {
  FILETIME created{}, ended{}, system{}, user{};
  if (!::GetProcessTimes(process, &created, &ended, &system, &user)) return std::nullopt;
  PROCESS_MEMORY_COUNTERS memory{};
  if (!::K32GetProcessMemoryInfo(process, &memory, sizeof memory)) memory = {};
  return Usage{us(user), us(system), memory.PeakWorkingSetSize / 1024};
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

RangeFacts Range::facts() const {
  std::lock_guard lock(mutex_);
  return facts_;
}

std::int64_t Range::wait_pid(int timeout_ms) {
  std::unique_lock lock(mutex_);
  launch_known_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [this] { return facts_.launch != RangeFacts::Launch::pending; });
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

// --- launch ---

void Range::started(Reactor& reactor, std::shared_ptr<Held> held, Handle outputs[2], Handle input) {
  reactor_ = &reactor;
  held_ = held;
  {
    std::lock_guard lock(mutex_);
    facts_.launch = RangeFacts::Launch::started;
    facts_.pid = held->pid;
    facts_.owner = core::Owner::job;
    facts_.holder = std::move(held);
  }
  launch_known_.notify_all();
  post(core::Fact::Kind::started, core::name(core::Owner::job), held_->pid);
  for (int i = 0; i < 2; i++) {
    if (!collectors_[i]) continue;
    collecting_[i] = true;
    collectors_[i]->start(reactor, std::move(outputs[i]), [self = shared_from_this(), i] { self->collector_ended(i); });
  }
  if (input) {
    input_ = std::make_shared<Input>(std::move(input), std::move(*request_->stdin_data));
    input_->start();
  }
  if (terminal_) terminal_->start(held_->pid, [self = shared_from_this()] { self->finish_if_over(); });
  request_.reset();
  reactor.listen(held_->id, [self = shared_from_this()](DWORD message) {
    if (message == JOB_OBJECT_MSG_ACTIVE_PROCESS_ZERO) self->look();
  });
  // The range outlives the registration: finish_if_over() waits for the callback before it lets go.
  if (!::RegisterWaitForSingleObject(&wait_, held_->process.get(), &Range::process_ended, this, INFINITE, WT_EXECUTEONLYONCE)) wait_ = nullptr;
  look_again_later();
  if (wanted_ == End::now) kill_now(reactor);
  if (wanted_ == End::polite) terminate(reactor);
}

void CALLBACK Range::process_ended(void* range, BOOLEAN) {
  auto* self = static_cast<Range*>(range);
  self->reactor_->post([keep = self->shared_from_this()] { keep->look(); });
}

void Range::failed(const core::Failure& failure) {
  if (over_) return;
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

// --- the owner ---

// Called by whatever may have changed something: a message of the Job, the end of the command, the slow timer. The answer is
// always the Job's own accounting.
void Range::look() {
  if (empty_ || !held_) return;
  if (interruption_ && ::WaitForSingleObject(interruption_->process.get(), 0) == WAIT_OBJECT_0) interruption_ended(interruption_->told());
  if (!has_exited_ && ::WaitForSingleObject(held_->process.get(), 0) == WAIT_OBJECT_0) exited();
  const std::optional<DWORD> active = held_->job.active();
  if (!active) return lost("the Job that holds this range does not answer");
  // The Job can be empty a moment before the command's handle says that it has ended; that end comes first.
  // And what has told the members is waited for, so that the report is complete; its own end is never far.
  if (*active == 0 && has_exited_ && !interruption_) emptied();
}

void Range::look_again_later() {
  look_timer_ = reactor_->at(now_ms() + kLookAgainMs, [self = shared_from_this()] {
    self->look_timer_ = 0;
    if (self->empty_) return;
    self->look();
    if (!self->empty_) self->look_again_later();
  });
}

void Range::exited() {
  has_exited_ = true;
  ::GetExitCodeProcess(held_->process.get(), &exit_code_);
  {
    std::lock_guard lock(mutex_);
    facts_.usage = usage_of(held_->process.get());
    if (const auto times = held_->job.times(); times && times->peak_bytes > 0) facts_.limits = LimitFacts{0, times->peak_bytes, 0};
  }
  if (terminal_) terminal_->exited(held_->job.active() == 0u);
  drain_.exited(now_ms());
  drain();
}

void Range::emptied() {
  empty_ = true;
  drop_interruption();
  {
    std::lock_guard lock(mutex_);
    facts_.proof = RangeFacts::Proof::proven;
    if (const auto times = held_->job.times()) facts_.range_usage = Usage{times->user_us, times->system_us, 0};
    facts_.holder.reset();
  }
  escalation_.empty();
  escalate({});
  if (input_) input_->close();
  if (terminal_) terminal_->close();
  post(core::Fact::Kind::empty, "proven");
  finish_if_over();
}

void Range::lost(const std::string& message) {
  {
    std::lock_guard lock(mutex_);
    facts_.proof = RangeFacts::Proof::observed;
    facts_.holder.reset();
  }
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
    drain_timer_ = reactor_->at(*deadline, [self = shared_from_this()] {
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
  if (settled_) return;
  if (!collecting_[0] && !collecting_[1]) return post_settled();
  settle_timer_ = reactor_->at(now_ms() + kSettleSlackMs, [self = shared_from_this()] {
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
  fact->number = cancelled_ ? kEndedCode : exit_code_;
  fact->text[0] = facts_.drain == RangeFacts::Drained::deadline ? "deadline" : "eof";
  sink->post(std::move(fact));
  finish_if_over();
}

// Nothing will fill the streams any more: readers see their end.
void Range::abandon_streams() {
  if (input_) input_->close();
  if (terminal_) terminal_->close();
  for (int i = 0; i < 2; i++) {
    if (!collectors_[i]) continue;
    if (collecting_[i]) {
      collectors_[i]->close();
    } else if (reactor_ == nullptr) {
      collectors_[i]->abandon();
    }
  }
}

void Range::finish_if_over() {
  if (over_ || !settled_ || !empty_ || collecting_[0] || collecting_[1]) return;
  // No fact follows the last one, and a reader of the terminal has to be told of its end.
  if (terminal_ && !terminal_->over()) return;
  over_ = true;
  if (reactor_ != nullptr) {
    for (Reactor::TimerId* timer : {&drain_timer_, &escalation_timer_, &settle_timer_, &look_timer_}) reactor_->cancel(std::exchange(*timer, 0));
  }
  drop_interruption();
  if (held_) {
    reactor_->forget(held_->id);
    // Waits for a callback that runs just now: it only posts, so it does not wait for us.
    if (wait_ != nullptr) ::UnregisterWaitEx(std::exchange(wait_, nullptr), INVALID_HANDLE_VALUE);
  }
  {
    std::lock_guard lock(mutex_);
    facts_.holder.reset();
  }
  held_.reset();
  post(core::Fact::Kind::ended);
  if (auto done = std::exchange(on_over, nullptr)) done();
}

}  // namespace holdfast::windows
