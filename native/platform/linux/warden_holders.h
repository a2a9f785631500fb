// Who answers for a range that a warden has launched: the warden itself for a range in a leaf, or a supervisor.
#pragma once
#include <atomic>
#include <memory>

#include "warden_client.h"

namespace holdfast::linux_os {

using posix::Holder;

/// A range in a leaf: the warden itself answers for it.
class WardenClient::LeafHolder : public Holder {
 public:
  LeafHolder(std::shared_ptr<WardenClient> client, std::uint64_t range) : client_(std::move(client)), range_(range) {}
  void term() override { client_->request(warden::Kind::term, range_); }
  void kill() override { client_->request(warden::Kind::kill, range_); }
  void release() override { client_->forget(range_); }
  std::vector<pid_t> members() const override { return client_->subtree_->members(range_); }

 private:
  const std::shared_ptr<WardenClient> client_;
  const std::uint64_t range_;
};

/// A range below a supervisor: requests go to the supervisor's own channel, and wait there if it is not born yet.
class WardenClient::SupervisorHolder : public Holder, public std::enable_shared_from_this<SupervisorHolder> {
 public:
  SupervisorHolder(std::shared_ptr<WardenClient> client, const std::shared_ptr<Range>& range, posix::Fd channel)
      : client_(std::move(client)), range_(range), id_(range->id), channel_(std::move(channel)) {}

  /// False: the kernel has no room for one more watch.
  bool listen(Reactor& reactor);
  void term() override { send(warden::Kind::term); }
  void kill() override { send(warden::Kind::kill); }
  void release() override;
  std::vector<pid_t> members() const override;
  /// Takes what the supervisor has said so far. Before the warden's word about a range whose supervisor is gone: the two
  /// sockets are ready in any order, and the supervisor spoke first.
  void catch_up();
  /// The warden is gone. A supervisor that lives empties its range; nobody else would notice one that does not.
  void warden_gone();

 private:
  void send(warden::Kind kind);
  void receive();
  /// Asks whether the supervisor still answers, again and again until its range is over.
  void ask();

  const std::shared_ptr<WardenClient> client_;
  const std::weak_ptr<Range> range_;
  const std::uint64_t id_;
  const posix::Fd channel_;
  Reactor::WatchId watch_ = 0;
  Reactor::TimerId patience_ = 0;
  bool heard_ = false;
  std::atomic<int> supervisor_{0};
};

}  // namespace holdfast::linux_os
