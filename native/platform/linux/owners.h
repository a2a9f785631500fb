// Which owners work here, and the wardens that hold ranges for them. Launch thread only.
//
// Everything is tried, and tried once: the start of a warden, the live probe of a subtree, a scope. Each step has a
// deadline. What was found holds until the host has changed who it is, or the warden has died.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host_state.h"
#include "manager.h"
#include "platform/posix/diagnosis.h"
#include "platform/posix/range.h"
#include "platform/posix/reactor.h"
#include "warden_client.h"

namespace holdfast::linux_os {

using posix::OwnerFinding;
using posix::RangeRequest;
using posix::Reactor;

class Owners {
 public:
  Owners(Reactor& reactor, WardenFiles files, ManagerAddress manager, HostStateReader& host_state)
      : reactor_(reactor), files_(std::move(files)), manager_(std::move(manager)), host_state_(host_state) {}

  struct Choice {
    core::Owner owner;
    std::shared_ptr<WardenClient> warden;  // null where the host launches by itself
    std::string weaker_because;            // why `auto` proves less here than it could; mostly empty
  };
  /// The first owner of the request that can be used now.
  std::optional<Choice> choose(const RangeRequest& request, core::Failure& failure);

  /// A look at every kind, strongest first, and what `auto` takes. Leaves nothing behind that is not in use.
  std::vector<OwnerFinding> look(const std::string& credentials, core::Owner& chosen);

  /// The warden of `cgroup` and `subreaper`; null where none can be started, or none was needed yet.
  const std::shared_ptr<WardenClient>& warden() const { return warden_; }
  /// Hands all wardens over, for their end.
  std::vector<std::shared_ptr<WardenClient>> release();

 private:
  struct Answer {
    const OwnerFinding& finding;
    int shortage;  // errno of what has run out, if that is why it is not available
  };
  std::string why_no_limits(core::Owner owner, const warden::Limits& limits);
  Answer ask(core::Owner owner, bool by_auto, const std::string& credentials);
  bool start(WardenProcess& process, Refusal& refusal);
  int ensure_warden(const std::string& credentials);
  int ensure_scope(const std::string& credentials);
  const OwnerFinding& finding(core::Owner owner) const;
  void set(core::Owner owner, bool available, std::string reason);
  void retire(std::shared_ptr<WardenClient>& warden);
  void forget_if_other(const std::string& identity);

  Reactor& reactor_;
  const WardenFiles files_;
  const ManagerAddress manager_;
  HostStateReader& host_state_;
  // Two wardens, because a process that is in a scope may not put anything into leaves elsewhere, nor the other way
  // round: who moves a process must be allowed to write to the group above both.
  std::shared_ptr<WardenClient> warden_, scope_warden_;
  std::string identity_;  // of the host when it was last asked
  std::vector<OwnerFinding> findings_;
  OwnerFinding scope_by_auto_{core::Owner::scope, false, {}};
  std::optional<std::string> scope_would_lift_;  // see lifted_by_scope(); asked once
  std::uint64_t scope_again_us_ = 0;             // not before: a manager that did not answer is not asked at each launch
};

}  // namespace holdfast::linux_os
