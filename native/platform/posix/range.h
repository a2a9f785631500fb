// One range: a command and everything that descends from it, from the call of spawn() to the last fact.
//
// The reactor thread moves it; every other thread reads its facts under the mutex or hands a task to the reactor.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/contract.h"
#include "core/drain.h"
#include "core/escalation.h"
#include "core/fact_sink.h"
#include "core/owner.h"
#include "collector.h"
#include "terminal.h"

namespace holdfast::posix {

struct LaunchSpec {
  std::string argv;     // each argument followed by NUL
  std::string env;      // each `K=V` followed by NUL
  std::string program;  // what is executed: absolute, or relative to cwd where it has a separator
  std::string cwd;      // absolute
  bool terminal = false;  // stdin becomes the controlling terminal
};

enum class StreamKind { pipe, inherit, collect };

/// What spawn() was asked for. Descriptors in it are the child's ends, made on the JS thread.
struct RangeRequest {
  LaunchSpec launch;        // `program` is filled in by the launcher
  std::string search_path;  // PATH of the child's environment
  std::string host_cwd;
  std::uint64_t grace_ms = 0;
  std::vector<core::Owner> owners;
  std::size_t named = 0;  // how many of them the caller named; the rest are those of `auto`
  bool may_weaken = false;
  core::Limits limits{};
  int umask = -1;
  std::string credentials;  // of the host at the call, see Launcher::read_host

  Fd stdin_end;                   // with a piped stdin
  std::optional<std::string> stdin_data;  // with { data }
  StreamKind kinds[2] = {StreamKind::collect, StreamKind::collect};
  Fd output_ends[2];  // with pipe and inherit
  std::shared_ptr<Collector> collectors[2];
  Fd control_end;
  /// With it the command runs on this terminal, and there are no other streams (both kinds are `inherit`, without an end).
  std::shared_ptr<Terminal> terminal;
  /// What already went wrong on the JS thread (out of descriptors): the launch is not tried.
  std::optional<core::Failure> failure;
};

/// How the host speaks to whoever holds a range. Called on the reactor thread unless said otherwise.
class Holder {
 public:
  virtual ~Holder() = default;
  virtual void term() = 0;
  virtual void kill() = 0;
  /// The range is over; nothing will be asked any more.
  virtual void release() = 0;
  /// Any thread: the processes of the range as they are now.
  virtual std::vector<pid_t> members() const = 0;
};

struct MemberFact {
  pid_t pid;
  std::string argv0;
  char ended_by;  // 'T', 'K', or 0 for a member that has not been ended
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

struct RangeFacts {
  enum class Launch { pending, started, failed } launch = Launch::pending;
  pid_t pid = -1;
  std::optional<core::Owner> owner;
  enum class Proof { pending, proven, observed } proof = Proof::pending;
  enum class Drained { pending, eof, deadline } drain = Drained::pending;
  MemberFacts strays, escaped;
  std::optional<Usage> usage, range_usage;
  std::optional<LimitFacts> limits;
  std::shared_ptr<Holder> holder;  // while the range lives
};

class Range : public std::enable_shared_from_this<Range> {
 public:
  Range(std::uint64_t id, RangeRequest request, std::shared_ptr<core::FactSink> sink);

  const std::uint64_t id;
  const std::shared_ptr<core::FactSink> sink;

  // --- any thread ---
  RangeFacts facts() const;
  const std::shared_ptr<Collector>& collector(int stream) const { return collectors_[stream - 1]; }
  /// Null for an ordinary command.
  const std::shared_ptr<Terminal>& terminal() const { return terminal_; }
  /// Waits until the launch is known, at most `timeout_ms`. The pid, or -1.
  pid_t wait_pid(int timeout_ms);

  // --- launch thread ---
  /// Only until the launch is known.
  RangeRequest& request() { return *request_; }
  /// False: the range was ended before its launch began, and must not be launched.
  bool claim_launch();
  /// Ended by this signal while its launch was still waiting for its turn; 0: not so.
  int cancelled_by() const { return cancelled_by_.load(); }

  // --- reactor thread ---
  /// What is launched; empty once the launch is known.
  const LaunchSpec& spec() const;
  /// The holder is known and the host's ends of collected streams are open. Comes before any event of the launch.
  void adopt(Reactor& reactor, core::Owner owner, std::shared_ptr<Holder> holder, Fd outputs[2], Fd input);
  void started(pid_t pid);
  /// The launch has failed and nothing of it is left.
  void failed(const core::Failure& failure);
  /// Of the command, where it was not known at its exit.
  void used(const Usage& usage);
  /// What the limits have done so far.
  void limited(const LimitFacts& limits);
  /// `status` as wait4 gives it.
  void exited(pid_t pid, int status, const std::optional<Usage>& usage);
  void member(pid_t pid, std::string argv0, char ended_by, bool escaped);
  void emptied(bool proven, std::uint64_t strays, std::optional<Usage> usage);
  /// The owner cannot be observed any more.
  void lost(const std::string& message);
  /// The direct command's status is lost, the range itself is still observed.
  void status_lost(const std::string& message);
  void stream_closed(int stream);
  void terminate(Reactor& reactor);
  void kill_now(Reactor& reactor);
  /// A launch that was ended before anything was started, and would not have failed: the outcome is that of a command
  /// that died of the signal at once.
  void cancel_launch(int signal);

  /// Any thread. Nothing can be asked of the range any more.
  bool over() const { return over_.load(std::memory_order_acquire); }
  /// Called once, on the reactor thread, after the last fact.
  std::function<void()> on_over;

 private:
  void post(core::Fact::Kind kind, std::string text = {}, std::int64_t number = 0);
  void cancel_waiting(Reactor& reactor, int signal, std::uint64_t patience_ms);
  void escalate(core::Escalation::Actions actions);
  void send_term();
  void drain();
  void settle(bool deadline);
  void post_settled();
  void collector_ended(int stream);
  void write_input();
  void end_input();
  void finish_if_over();
  void abandon_streams();

  // Argv may be megabytes, and a handle may be kept for long after its command: gone once the launch is known.
  std::unique_ptr<RangeRequest> request_;
  std::shared_ptr<Collector> collectors_[2];
  const std::shared_ptr<Terminal> terminal_;
  enum class Phase { waiting, claimed, cancelled };
  std::atomic<Phase> phase_{Phase::waiting};
  std::atomic<int> cancelled_by_{0};

  mutable std::mutex mutex_;
  std::condition_variable launch_known_;
  RangeFacts facts_;

  Reactor* reactor_ = nullptr;   // since adopt()
  Reactor* waits_in_ = nullptr;  // whose timer ends the range while its launch waits for its turn
  std::shared_ptr<Holder> holder_;
  const std::uint64_t grace_ms_;
  const unsigned drain_index_[2];  // of stdout and stderr among the awaited streams
  core::Drain drain_;
  core::Escalation escalation_;
  Reactor::TimerId drain_timer_ = 0, escalation_timer_ = 0, settle_timer_ = 0, term_timer_ = 0;
  bool terminate_wanted_ = false, kill_wanted_ = false;
  bool launch_known_here_ = false;  // facts_.launch as the reactor thread sees it without the lock
  bool collecting_[2] = {false, false};
  int status_ = 0;
  bool has_status_ = false, settling_ = false, settled_ = false, empty_ = false;
  std::atomic<bool> over_{false};

  Fd input_;
  std::string input_data_;
  std::size_t input_written_ = 0;
  Reactor::WatchId input_watch_ = 0;
};

}  // namespace holdfast::posix
