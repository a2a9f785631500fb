// The weakest owner, for where no warden can run: the command is launched by the host itself as the leader of a new
// session and group. Who else belongs to it is recognised by signs (group_members.h), so nothing here is ever called proven.
#pragma once
#include <memory>

#include "range.h"
#include "reactor.h"

namespace holdfast::posix {

struct GroupLaunch {
  Fd stdio[3];
  Fd control;
  Fd outputs[2];
  Fd input;
};

/// Launch thread. Launches by posix_spawn, whose cost does not grow with the host's memory. Everything that follows, a
/// failure too, reaches the range on the reactor thread.
void launch_group(Reactor& reactor, const std::shared_ptr<Range>& range, GroupLaunch launch);

/// JS thread, at the host's exit, when no other thread may get its turn any more: KILL for the groups of
/// `sink`'s ranges and everybody who is recognised.
void kill_groups(const core::FactSink* sink);

}  // namespace holdfast::posix
