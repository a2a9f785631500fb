// A range from its launch to its end, as the warden sees it.
#include "descriptors.h"
#include "supervisor.h"
#include "sweep.h"
#include "warden.h"

namespace holdfast::warden {

namespace {

constexpr uint64_t kFreezeMs = 20;
constexpr uint32_t kFirstPauseMs = 2;
constexpr uint32_t kLongestPauseMs = 1000;
constexpr uint64_t kRemovalMs = 5000;
constexpr uint64_t kPollMs = 10;
constexpr int kCrowd = 16;

bool in_leaf(Hold hold) { return hold != Hold::subreaper; }

void refuse(Warden& warden, Range& range, LaunchStep step, int error) {
  range.facts.failure = {step, error};
  finish(warden, range, Facts::kFailed);
}

void launch_in_leaf(Warden& warden, Range& range, const LaunchFds& fds, const LaunchRequest& request) {
  Subtree& subtree = *warden.subtree(range.hold);
  if (!subtree.adopted) return refuse(warden, range, LaunchStep::own, ENODEV);
  Leaf leaf;
  const int made = make_leaf(subtree, range.facts.range, leaf);
  if (made < 0) return refuse(warden, range, LaunchStep::own, -made);
  // Before anybody is in it: the command never has a moment without its limits.
  const int limited = request.limits.any() ? set_limits(leaf, request.limits) : 0;
  if (limited < 0) {
    sys::close(leaf.fd);
    sys::close(leaf.events);
    remove_leaf(subtree, range.facts.range);
    return refuse(warden, range, LaunchStep::limits, -limited);
  }
  range.facts.limited = request.limits.any();

  const struct rlimit64* descriptors = warden.has_own_descriptors ? &warden.own_descriptors : nullptr;
  const Target target = start_target(fds, request.block_size, leaf.fd, descriptors);
  sys::close(leaf.fd);
  if (target.pid == 0) {
    sys::close(leaf.events);
    remove_leaf(subtree, range.facts.range);
    return refuse(warden, range, target.failure.step, target.failure.error);
  }
  warden.table.set_child(range, target.pid);
  range.facts.pid = target.pid;
  range.events_fd = leaf.events;
  range.status_fd = target.status_fd;
  range.scratch = target.scratch;
  const int slot = warden.table.index(range);
  if (!watch(warden, range.status_fd, EPOLLIN, event_data(Source::status, slot, range.facts.range))) {
    // The kernel has no room for one more watch: look every now and then instead.
    range.polled = true;
    range.due_ms = warden.now_ms + kPollMs;
  }
}

void launch_supervised(Warden& warden, Range& range, const LaunchFds& fds, uint32_t block_size) {
  bool enter;
  int32_t& command = warden.table.shared_command(range);
  command = 0;  // of whoever had the slot before
  // Put together before the fork: the table is not there in the child.
  const Supervision supervision = {range.facts.range, fds, block_size, warden.lifeline[0], &command,
                                   warden.has_own_descriptors ? &warden.own_descriptors : nullptr};
  const long pid = fork_into(-1, enter);
  if (pid == 0) supervise(supervision);
  if (pid < 0) return refuse(warden, range, LaunchStep::clone, static_cast<int>(-pid));
  warden.table.set_child(range, static_cast<int>(pid));
}

/// Also for a command that was forked but has not entered its leaf yet; it is not reaped, so its number is its own.
void signal_child(const Range& range, int signal) {
  if (range.child > 1) sys::kill(range.child, signal);
}

/// Signals every member with TERM. Frozen, the members hold still: nobody is missed, no pid is reused. A TERM to a
/// frozen process waits for the thaw, and so does the CONT that lets a stopped one run its handler.
void term_members(Warden& warden, Range& range, bool frozen) {
  Subtree& subtree = *warden.subtree(range.hold);
  const uint64_t id = range.facts.range;
  g_found.clear();
  add_members(subtree, id, g_found);
  record_escapes(warden, range, g_found.count());
  for_each_once([&](PidSet& set) { add_members(subtree, id, set); },
                [&](const ProcessStat& stat) {
                  return stat.pid != warden.self && (frozen || subtree.range_of(stat.pid) == id);
                },
                [&](const Process& process, const ProcessStat& stat) {
                  if (stat.pid != range.child) range.facts.stray(stat.pid, EndedBy::term, false);
                  const bool reached = process.signal(SIGTERM) == 0;
                  if (reached && stat.stopped()) process.signal(SIGCONT);
                  return reached && !frozen;
                });
  if (!g_seen.has(range.child)) signal_child(range, SIGTERM);
  end_escapes(warden, range, EndedBy::term);
  freeze(subtree, id, false);
}

/// One by one. A signal to a process reaches any of its threads; cgroup.kill sends it to the first thread only.
void kill_each(Warden& warden, Range& range) {
  Subtree& subtree = *warden.subtree(range.hold);
  g_found.clear();
  add_members(subtree, range.facts.range, g_found);
  for (int i = 0; i < g_found.count(); ++i) {
    const Process process(g_found.at(i));
    if (g_found.at(i) == warden.self || subtree.range_of(g_found.at(i)) != range.facts.range) continue;
    process.signal(SIGKILL);
  }
}

void kill_members(Warden& warden, Range& range, bool again) {
  Subtree& subtree = *warden.subtree(range.hold);
  const bool killed = subtree.has_kill && kill_leaf(subtree, range.facts.range) == 0;
  // Kernels before 5.14 have no cgroup.kill. Frozen members cannot fork, and KILL reaches them all the same.
  if (!killed) freeze(subtree, range.facts.range, true);
  // Who is left after a cgroup.kill is dying slowly, or has no first thread any more, which it does not reach (seen on
  // Linux 6.18: the signal is queued to a thread that will never take it).
  if (!killed || again) kill_each(warden, range);
  signal_child(range, SIGKILL);
}

void back_off(Warden& warden, Range& range) {
  range.due_ms = warden.now_ms + range.backoff_ms;
  range.backoff_ms = range.backoff_ms * 2 < kLongestPauseMs ? range.backoff_ms * 2 : kLongestPauseMs;
}

}  // namespace

void launch(Warden& warden, const LaunchRequest& request, Incoming& message) {
  const uint64_t id = request.header.range;
  if (id == 0 || warden.table.find(id) != nullptr) return message.close_fds();
  Range* range = warden.table.add(id, request.hold);
  // The loop stops reading before the table is full.
  if (range == nullptr) return message.close_fds();

  LaunchFds fds;
  const bool known_hold = request.hold == Hold::cgroup || request.hold == Hold::scope || request.hold == Hold::subreaper;
  if (!known_hold) {
    refuse(warden, *range, LaunchStep::own, EINVAL);
  } else if (request.limits.any() && !in_leaf(request.hold)) {
    refuse(warden, *range, LaunchStep::limits, EOPNOTSUPP);
  } else if (warden.table.live() > Table::kMostLive) {
    refuse(warden, *range, LaunchStep::own, EAGAIN);
  } else if (message.fds_lost || !take_launch_fds(request, message.fds, message.fd_count, fds)) {
    refuse(warden, *range, LaunchStep::descriptors, EMFILE);
  } else if (in_leaf(request.hold)) {
    launch_in_leaf(warden, *range, fds, request);
  } else {
    launch_supervised(warden, *range, fds, request.block_size);
  }
  // The child has its copies; ours would keep the command's pipes open.
  message.close_fds();
}

void look_at_launch(Warden& warden, Range& range) {
  if (range.status_fd < 0) return;
  const LaunchStatus status = read_status(range.status_fd, range.facts.failure);
  if (status == LaunchStatus::pending) return;
  if (status == LaunchStatus::started) {
    range.facts.owed |= Facts::kStarted;
    give_scratch(range.scratch);
  }
  unwatch(warden, range.status_fd, true);
}

namespace {

/// Whoever asks why the command has ended finds the answer in the report.
void tell_limits(Warden& warden, Range& range) {
  if (!range.facts.limited) return;
  range.facts.limits = read_limit_facts(*warden.subtree(range.hold), range.facts.range);
  range.facts.owed |= Facts::kLimits;
}

}  // namespace

void child_reaped(Warden& warden, Range& range, int status, const struct rusage& usage) {
  warden.table.set_child(range, 0);
  range.reaped = true;
  give_scratch(range.scratch);
  warden.unsettled = true;
  if (in_leaf(range.hold)) {
    look_at_launch(warden, range);
    if (range.facts.failed()) return;
    tell_limits(warden, range);
    range.facts.exit(status, usage);
  } else if (sys::exited(status) && sys::exit_code(status) == 0) {
    // Everything about this range has been said by its supervisor, on its own channel.
    range.over = true;
  } else {
    supervisor_lost(warden, range);
  }
}

void term(Warden& warden, Range& range) {
  if (range.over || range.ending != Ending::none) return;
  if (!in_leaf(range.hold)) {
    // The supervisor takes requests on its own channel; here it can only be woken.
    signal_child(range, SIGCONT);
    return;
  }
  range.ending = Ending::freezing;
  range.backoff_ms = kFirstPauseMs;
  range.deadline_ms = warden.now_ms + kFreezeMs;
  const int frozen = freeze(*warden.subtree(range.hold), range.facts.range, true);
  if (frozen < 0) range.deadline_ms = warden.now_ms;
  step(warden, range);
}

void kill(Warden& warden, Range& range) {
  if (range.over || range.ending == Ending::killing) return;
  range.ending = Ending::killing;
  if (!in_leaf(range.hold)) {
    // Asked for when a supervisor does not answer: without it, its members are the warden's to end.
    signal_child(range, SIGKILL);
    return;
  }
  Subtree& subtree = *warden.subtree(range.hold);
  g_found.clear();
  add_members(subtree, range.facts.range, g_found);
  if (g_found.count() > kCrowd) {
    // A storm takes the processor away from whoever counts it. Frozen it holds still, and dies all the same.
    freeze(subtree, range.facts.range, true);
    g_found.clear();
    add_members(subtree, range.facts.range, g_found);
  }
  const bool counted = range.facts.strays > kMaxListed;
  const int members = g_found.count();
  for (int i = 0; i < members; ++i) {
    if (g_found.at(i) != range.child) range.facts.stray(g_found.at(i), EndedBy::kill, counted);
  }
  record_escapes(warden, range, members);
  kill_members(warden, range, false);
  end_escapes(warden, range, EndedBy::kill);
  range.backoff_ms = kFirstPauseMs;
  back_off(warden, range);
}

namespace {

/// Whether the leaf of a range whose command is reaped has become empty.
bool is_vacated(Warden& warden, Range& range) {
  if (range.over || !in_leaf(range.hold) || !range.reaped || range.status_fd >= 0) return false;
  if (!read_events(range.events_fd).populated) return true;
  range.removing = false;
  // From here on its end may come without the reaping of anything: the kernel wakes us then. (Not earlier: it would
  // also report that the command has entered.)
  if (!range.watched) {
    const uint64_t data = event_data(Source::events, warden.table.index(range), range.facts.range);
    range.watched = watch(warden, range.events_fd, EPOLLPRI, data);
    if (!range.watched) range.polled = true;
    if (range.polled && range.due_ms == 0) range.due_ms = warden.now_ms + kPollMs;
  }
  return false;
}

void conclude(Warden& warden, Range& range) {
  Subtree& subtree = *warden.subtree(range.hold);
  Facts& facts = range.facts;
  if (!facts.failed()) {
    // A member that has left the leaf, but has not handed its children over yet: its reaping brings us back.
    if (range.dying) return;
    // One that was signalled outside of its leaf may ignore TERM, and KILL comes only while the range is not over.
    if (awaits_escapes(warden, range)) return back_off(warden, range);
    facts.proven = warden.orphans_visible && !range.observed;
    CgroupUsage usage;
    tell_limits(warden, range);
    facts.has_usage = read_usage(subtree, facts.range, usage);
    facts.range_user_us = usage.user_us;
    facts.range_system_us = usage.system_us;
  }
  if (remove_leaf(subtree, facts.range) == -EBUSY) {
    if (!range.removing) {
      range.removing = true;
      range.backoff_ms = 1;
      range.deadline_ms = warden.now_ms + kRemovalMs;
    }
    if (warden.now_ms < range.deadline_ms) return back_off(warden, range);
    // Nothing lives in it, but it does not go. The host is told what is true of the processes.
  }
  finish(warden, range, facts.failed() ? Facts::kFailed : Facts::kEmpty);
}

}  // namespace

void settle(Warden& warden) {
  warden.unsettled = false;
  bool any = false;
  for (int slot = 0; slot < warden.table.end(); ++slot) {
    Range* range = warden.table.at(slot);
    if (range == nullptr) continue;
    range->vacated = is_vacated(warden, *range);
    any = any || range->vacated;
  }
  if (!any) return;
  // After the leaves were seen empty, not before: a member hands its orphans over later than it leaves its leaf.
  look_for_orphans(warden);
  for (int slot = 0; slot < warden.table.end(); ++slot) {
    Range* range = warden.table.at(slot);
    if (range != nullptr && range->vacated) conclude(warden, *range);
  }
}

void step(Warden& warden, Range& range) {
  range.due_ms = 0;
  if (range.over) return;
  look_at_launch(warden, range);
  warden.unsettled = true;
  if (range.polled) range.due_ms = warden.now_ms + kPollMs;
  if (range.removing) return;
  if (range.ending == Ending::freezing) {
    const bool frozen = read_events(range.events_fd).frozen;
    if (!frozen && warden.now_ms < range.deadline_ms) {
      range.due_ms = warden.now_ms + 1;
      return;
    }
    range.ending = Ending::termed;
    term_members(warden, range, frozen);
  } else if (range.ending == Ending::killing) {
    kill_members(warden, range, true);
    back_off(warden, range);
  }
}

void finish(Warden& warden, Range& range, Facts::Owed last) {
  unwatch(warden, range.events_fd, range.watched);
  range.watched = false;
  range.due_ms = 0;
  range.over = true;
  range.facts.owed |= last;
}

bool tell(Warden& warden, Range& range) {
  if (!range.facts.tell(warden.channel)) return false;
  if (range.over) warden.table.remove(range);
  return true;
}

}  // namespace holdfast::warden
