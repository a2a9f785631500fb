// One range: a command and everything that descends from it, held by a Job, from the call of spawn() to the last fact.
//
// The reactor thread moves it; every other thread reads its facts under the mutex or hands a task to the reactor.
#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "collector.h"
#include "core/drain.h"
#include "core/escalation.h"
#include "core/fact_sink.h"
#include "core/owner.h"
#include "input.h"
#include "interrupt.h"
#include "job.h"
#include "terminal.h"

namespace holdfast::windows {

enum class StreamKind { pipe, inherit, collect };

struct LaunchSpec {
  std::string argv;  // each argument followed by NUL
  std::string env;   // each `K=V` followed by NUL
  std::string cwd;   // absolute
};

/// What spawn() was asked for. Handles in it are the command's ends, made on the JS thread.
struct RangeRequest {
  LaunchSpec launch;
  std::string search_path;  // PATH of the child's environment
  std::string host_cwd;
  std::uint64_t grace_ms = 0;
  std::vector<core::Owner> owners;
  std::size_t named = 0;
  bool may_weaken = false;
  Limits limits{};
  int umask = -1;           // of other systems, like the next
  std::string credentials;

  Handle stdin_end;                       // with a piped stdin; Node opens the other end
  std::optional<std::string> stdin_data;  // with { data }
  StreamKind kinds[2] = {StreamKind::collect, StreamKind::collect};
  Handle output_ends[2];  // with pipe (Node opens the other end) and inherit
  std::shared_ptr<Collector> collectors[2];
  Handle control_end;
  /// With it the command runs on this terminal, and there are no other streams (both kinds are `inherit`, without an end).
  std::shared_ptr<Terminal> terminal;
  /// What already went wrong on the JS thread: the launch is not tried.
  std::optional<core::Failure> failure;
};

struct MemberFact {
  DWORD pid;
  std::string argv0;
  char ended_by;
};

struct MemberFacts {
  std::uint64_t count = 0;
  std::vector<MemberFact> listed;
};

struct Usage {
  std::uint64_t user_us = 0, system_us = 0, max_rss_kib = 0;
};

struct LimitFacts {
  std::uint64_t oom_kills = 0, peak_bytes = 0, throttled_us = 0;
};

/// The Job and the command in it. The Job lives as long as somebody asks it.
struct Held {
  Job job;
  Handle process;
  DWORD pid = 0;
  Reactor::JobId id = 0;
  std::vector<DWORD> members() const { return job.members(); }
};

struct RangeFacts {
  enum class Launch { pending, started, failed } launch = Launch::pending;
  std::int64_t pid = -1;
  std::optional<core::Owner> owner;
  enum class Proof { pending, proven, observed } proof = Proof::pending;
  enum class Drained { pending, eof, deadline } drain = Drained::pending;
  /// What became of the polite stage of terminate().
  enum class Polite { unasked, sent, unavailable } polite = Polite::unasked;
  MemberFacts strays, escaped;
  std::optional<Usage> usage, range_usage;
  std::optional<LimitFacts> limits;
  std::shared_ptr<Held> holder;  // while the range lives
};

class Range : public std::enable_shared_from_this<Range> {
 public:
  Range(std::uint64_t id, RangeRequest request, std::shared_ptr<core::FactSink> sink);

  const std::uint64_t id;
  const std::shared_ptr<core::FactSink> sink;

  // --- any thread ---
  RangeFacts facts() const;
  const std::shared_ptr<Collector>& collector(int stream) const { return collectors_[stream - 1]; }
  const std::shared_ptr<Terminal>& terminal() const { return terminal_; }
  std::int64_t wait_pid(int timeout_ms);
  bool over() const { return over_.load(std::memory_order_acquire); }

  // --- launch thread ---
  RangeRequest& request() { return *request_; }
  /// False: the range was ended before its launch began, and must not be launched.
  bool claim_launch();

  // --- reactor thread ---
  /// The command runs in its Job. `outputs`: the host's ends of collected streams, `input`: that of stdin.
  void started(Reactor& reactor, std::shared_ptr<Held> held, Handle outputs[2], Handle input);
  /// The launch has failed and nothing of it is left.
  void failed(const core::Failure& failure);
  void stream_closed(int stream);
  void terminate(Reactor& reactor);
  void kill_now(Reactor& reactor);
  /// The answer to ask_for_interruption; null: nobody can be told.
  void interruption_started(std::shared_ptr<Interruption> interruption);

  /// Called once, on the reactor thread, after the last fact.
  std::function<void()> on_over;
  /// Called on the reactor thread, once at most: the Job is to be told by an Interruption.
  std::function<void()> ask_for_interruption;

 private:
  static void CALLBACK process_ended(void* self, BOOLEAN timed_out);
  void post(core::Fact::Kind kind, std::string text = {}, std::int64_t number = 0);
  void look();
  void look_again_later();
  void exited();
  void emptied();
  void lost(const std::string& message);
  bool cancel_waiting();
  void ask_politely();
  void interruption_ended(bool told);
  void drop_interruption();
  void escalate(core::Escalation::Actions actions);
  void drain();
  void settle(bool deadline);
  void post_settled();
  void collector_ended(int index);
  void abandon_streams();
  void finish_if_over();

  std::unique_ptr<RangeRequest> request_;
  std::shared_ptr<Collector> collectors_[2];
  const std::shared_ptr<Terminal> terminal_;
  enum class Phase { waiting, claimed, cancelled };
  std::atomic<Phase> phase_{Phase::waiting};

  mutable std::mutex mutex_;
  std::condition_variable launch_known_;
  RangeFacts facts_;

  Reactor* reactor_ = nullptr;
  std::shared_ptr<Held> held_;
  HANDLE wait_ = nullptr;
  const std::uint64_t grace_ms_;
  const unsigned drain_index_[2];
  core::Drain drain_;
  core::Escalation escalation_;
  Reactor::TimerId drain_timer_ = 0, escalation_timer_ = 0, settle_timer_ = 0, look_timer_ = 0, interruption_timer_ = 0;
  enum class End { none, polite, now };
  End wanted_ = End::none;  // what came while the launch was under way
  std::shared_ptr<Interruption> interruption_;
  HANDLE interruption_wait_ = nullptr;
  bool interruption_asked_ = false;
  bool collecting_[2] = {false, false};
  DWORD exit_code_ = 0;
  bool cancelled_ = false;
  bool has_exited_ = false, settling_ = false, settled_ = false, empty_ = false;
  std::atomic<bool> over_{false};
  std::shared_ptr<Input> input_;
};

}  // namespace holdfast::windows
