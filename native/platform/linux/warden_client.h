// The host's end of one warden: sends launches and requests, turns its events into calls on ranges.
//
// A host has one warden at a time. It gets another one when the warden has died, or when the host has changed who it is
// (user, capabilities, namespaces): the old one then keeps the ranges that it has, and goes with the last of them.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "warden/protocol.h"
#include "cgroup.h"
#include "platform/posix/range.h"
#include "platform/posix/reactor.h"
#include "warden_guard.h"
#include "warden_start.h"

namespace holdfast::linux_os {

using posix::Range;
using posix::Reactor;

class WardenClient : public std::enable_shared_from_this<WardenClient> {
 public:
  /// Takes over a started warden. `identity`: the host's credentials and namespaces at its start.
  WardenClient(WardenProcess process, std::string identity);
  ~WardenClient();

  // --- launch thread, before attach() ---
  /// Lets the warden probe the subtree in which it is to make leaves for `hold`. False: `refusal` says what failed, and
  /// the subtree is removed if it is ours.
  bool adopt_subtree(std::unique_ptr<CgroupTree> tree, warden::Hold hold, Refusal& refusal);

  // --- launch thread ---
  void attach(Reactor& reactor);
  const WardenProcess& process() const { return process_; }
  /// The probed subtree has cgroup.kill (Linux 5.14).
  bool kills_leaf() const { return kills_leaf_; }
  /// Alive, started by the same identity, and nobody has removed its subtree, so that leaves can be made.
  bool serves(const std::string& identity) const { return alive() && identity_ == identity && !(subtree_ && subtree_->gone()); }
  bool alive() const { return alive_.load(std::memory_order_acquire); }

  /// Launch thread: prepares the subtree for limits. "": leaves can enforce them; else why not.
  std::string enable(const warden::Limits& limits) { return subtree_ ? subtree_->enable(limits) : "it has no groups"; }

  struct Launch {
    std::shared_ptr<Range> range;
    warden::Hold hold;
    warden::Limits limits{};
    posix::Fd block;
    std::uint32_t block_size;
    posix::Fd stdio[3];
    posix::Fd control;      // where asked for
    posix::Fd outputs[2];   // our ends of collected streams
    posix::Fd input;        // our end of stdin data
  };
  /// Registers the range and sends the launch. Waits while the warden has many launches unread. A failure is posted to
  /// the range, like every later one.
  void launch(Launch launch);

  /// Reactor thread: ends the connection when no range is left; until then the warden keeps what it holds.
  void retire();
  /// Reactor thread, at the end: closes the socket (the warden ends everything it holds) and reaps the warden.
  void shut_down(int timeout_ms);

 private:
  class LeafHolder;
  class SupervisorHolder;

  bool send_launch(const Launch& launch, int channel, int& error);
  /// After a send that has failed with `error`: tries until it succeeds or cannot any more, which fails the range.
  void send_again(const Launch& launch, int channel, int error);
  void request(warden::Kind kind, std::uint64_t range);
  void flush();
  void on_socket(std::uint32_t events);
  void on_event(const void* message, std::size_t size);
  void on_gone();
  void rescue(const std::shared_ptr<Range>& range);
  void forget(std::uint64_t range);

  WardenProcess process_;
  const std::string identity_;
  std::unique_ptr<CgroupTree> subtree_;
  bool kills_leaf_ = false;
  std::atomic<bool> alive_{true};
  Reactor* reactor_ = nullptr;

  // A TERM must not overtake the launch that it is meant for: both go through this lock.
  std::mutex send_mutex_;
  struct Unsent {
    warden::Kind kind;
    std::uint64_t range;
  };
  std::deque<Unsent> unsent_;  // requests that met a full socket, or a launch that was not sent yet
  std::unordered_map<std::uint64_t, bool> launch_sent_;

  // Reactor thread.
  Reactor::WatchId watch_ = 0;
  struct Held {
    std::shared_ptr<Range> range;
    std::shared_ptr<SupervisorHolder> supervisor;  // null for a range in a leaf
  };
  std::unordered_map<std::uint64_t, Held> ranges_;
  bool retired_ = false;
  WardenGuard guard_;
};

}  // namespace holdfast::linux_os
