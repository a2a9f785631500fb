// Whose is a child that the warden did not start? Everything that loses its parent below the warden comes to it, so
// what is neither a command, nor a supervisor, nor inside a live leaf has left its range.
#include "sweep.h"
#include "warden.h"

namespace holdfast::warden {

namespace {

constexpr uint32_t kFirstPauseMs = 1;
constexpr uint32_t kLongestPauseMs = 1000;

enum class Origin { ours, leaf, dead, foreign };

/// `home`: the range in whose leaf it is, with Origin::leaf.
Origin origin_of(Warden& warden, int pid, ProcessStat& stat, Range*& home) {
  if (warden.table.find_child(pid) != nullptr) return Origin::ours;
  uint64_t id = warden.subtrees[0].range_of(pid);
  if (id == 0) id = warden.subtrees[1].range_of(pid);
  home = warden.table.find(id);
  // Asked last: what is dead now may have shown anything as its cgroup. A leaf that is gone has no living members.
  if (!read_stat(pid, stat) || stat.dead() || stat.parent != warden.self) return Origin::dead;
  if (id != 0 && home == nullptr) return Origin::dead;
  return home != nullptr ? Origin::leaf : Origin::foreign;
}

/// A command is the leader of a session of its own, and the number of a session is not given away while somebody is in
/// it: an orphan that has kept its session is known.
Range* range_of_session(Warden& warden, int session) {
  for (int slot = 0; slot < warden.table.end() && session > 1; ++slot) {
    Range* range = warden.table.at(slot);
    if (range != nullptr && range->hold != Hold::subreaper && range->facts.pid == session) return range;
  }
  return nullptr;
}

Escape* record(Warden& warden, const ProcessStat& stat, uint64_t range) {
  Escape* free = nullptr;
  for (Escape& escape : warden.escapes) {
    if (escape.pid == stat.pid && escape.start_time == stat.start_time) {
      if (escape.range == 0) escape.range = range;
      return &escape;
    }
    if (escape.pid == 0 && free == nullptr) free = &escape;
  }
  if (free == nullptr) return nullptr;  // so many: the proof is gone all the same, only the list is not complete
  *free = Escape{stat.pid, stat.start_time, range, EndedBy::none, true, {}};
  read_argv0(stat.pid, free->argv0);
  return free;
}

void doubt_all(Warden& warden) {
  for (int slot = 0; slot < warden.table.end(); ++slot) {
    Range* range = warden.table.at(slot);
    if (range != nullptr && range->hold != Hold::subreaper && !range->over) range->observed = true;
  }
}

void end_escape(Escape& escape, EndedBy by) {
  const Process process(escape.pid);
  ProcessStat stat;
  if (!read_stat(escape.pid, stat) || stat.dead() || stat.start_time != escape.start_time) return;
  const int signal = by == EndedBy::kill ? SIGKILL : SIGTERM;
  if (process.signal(signal) != 0) return;
  if (signal == SIGTERM && stat.stopped()) process.signal(SIGCONT);
  if (escape.ended_by == by) return;
  escape.ended_by = by;
  escape.owed = true;
}

bool all_orphans_end(const Warden& warden) { return warden.lost_supervisors > 0 || warden.host_gone_ms != 0; }

}  // namespace

void look_for_orphans(Warden& warden) {
  for (int slot = 0; slot < warden.table.end(); ++slot) {
    if (Range* range = warden.table.at(slot)) range->dying = false;
  }
  g_found.clear();
  // Where orphans go to somebody else (no subreaper: emulated kernels), there is nothing to be seen, and no proof.
  warden.orphans_visible = add_children(warden.self, g_found) && warden.ready.can_subreap != 0;
  for (int i = 0; i < g_found.count(); ++i) {
    ProcessStat stat;
    Range* home = nullptr;
    const Origin origin = origin_of(warden, g_found.at(i), stat, home);
    if (origin == Origin::leaf) home->dying = true;
    if (origin != Origin::foreign) continue;
    doubt_all(warden);
    // Most likely of a lost supervisor, which cannot be asked any more; or of a host that is gone.
    if (all_orphans_end(warden)) {
      if (warden.sweep_due_ms == 0) warden.sweep_due_ms = warden.now_ms + warden.sweep_backoff_ms;
      continue;
    }
    Range* range = range_of_session(warden, stat.session);
    Escape* escape = record(warden, stat, range != nullptr ? range->facts.range : 0);
    if (escape == nullptr || range == nullptr) continue;
    if (range->ending == Ending::killing) end_escape(*escape, EndedBy::kill);
    if (range->ending == Ending::termed && escape->ended_by == EndedBy::none) end_escape(*escape, EndedBy::term);
  }
}

void record_escapes(Warden& warden, Range& range, int members) {
  constexpr int kMostMembers = 1024;  // a storm: walking it would hold up everybody else
  if (members > kMostMembers) return;
  const Subtree& subtree = *warden.subtree(range.hold);
  add_descendants(g_found);
  for (int i = members; i < g_found.count(); ++i) {
    ProcessStat stat;
    if (subtree.range_of(g_found.at(i)) == range.facts.range) continue;  // born since
    if (!read_stat(g_found.at(i), stat) || stat.dead() || !g_found.has(stat.parent)) continue;
    doubt_all(warden);
    record(warden, stat, range.facts.range);
  }
}

void end_escapes(Warden& warden, const Range& range, EndedBy by) {
  for (Escape& escape : warden.escapes) {
    if (escape.pid != 0 && escape.range == range.facts.range) end_escape(escape, by);
  }
}

bool awaits_escapes(const Warden& warden, const Range& range) {
  for (const Escape& escape : warden.escapes) {
    if (escape.pid == 0 || escape.range != range.facts.range || escape.ended_by == EndedBy::none) continue;
    // One that could not be killed (it has other rights) must not keep the range from being over, unproven.
    if (range.ending == Ending::killing && escape.ended_by != EndedBy::kill) continue;
    ProcessStat stat;
    if (read_stat(escape.pid, stat) && !stat.dead() && stat.start_time == escape.start_time) return true;
  }
  return false;
}

void forget_escape(Warden& warden, int pid) {
  for (Escape& escape : warden.escapes) {
    if (escape.pid == pid && !escape.owed) escape = Escape{};
  }
}

bool tell_escapes(Warden& warden) {
  for (Escape& escape : warden.escapes) {
    if (escape.pid == 0 || !escape.owed) continue;
    MemberEvent event = {{}, escape.pid, escape.ended_by, {}};
    __builtin_memcpy(event.argv0, escape.argv0, sizeof event.argv0);
    if (send(warden.channel, Kind::escaped, escape.range, event) == Sent::full) return false;
    escape.owed = false;
  }
  return true;
}

void supervisor_lost(Warden& warden, Range& range) {
  range.lost = true;
  ++warden.lost_supervisors;
  warden.sweep_backoff_ms = kFirstPauseMs;
  warden.sweep_due_ms = warden.now_ms;
}

void orphan_reaped(Warden& warden, int pid, int status, const struct rusage& usage) {
  forget_escape(warden, pid);
  if (warden.lost_supervisors == 0) return;
  warden.sweep_backoff_ms = kFirstPauseMs;
  for (int slot = 0; slot < warden.table.end(); ++slot) {
    Range* range = warden.table.at(slot);
    if (range == nullptr || !range->lost || warden.table.shared_command(*range) != pid) continue;
    warden.table.shared_command(*range) = 0;
    range->facts.pid = pid;
    range->facts.exit(status, usage);
  }
}

void sweep_orphans(Warden& warden) {
  warden.sweep_due_ms = 0;
  if (!all_orphans_end(warden)) return;
  const SweepResult result = kill_descendants(warden.self, nullptr, [&warden](PidSet& set) {
    static constinit PidSet roots;
    add_children(warden.self, set);
    roots.clear();
    for (int i = 0; i < set.count(); ++i) {
      ProcessStat stat;
      Range* home = nullptr;
      if (origin_of(warden, set.at(i), stat, home) == Origin::foreign) roots.add(set.at(i));
    }
    set.clear();
    for (int i = 0; i < roots.count(); ++i) set.add(roots.at(i));
    add_descendants(set);
  });
  if (result.found) {
    warden.sweep_due_ms = warden.now_ms + warden.sweep_backoff_ms;
    const uint32_t longer = warden.sweep_backoff_ms * 2;
    warden.sweep_backoff_ms = longer < kLongestPauseMs ? longer : kLongestPauseMs;
    return;
  }
  // Nobody lives, but the command may have died a moment ago, before or after its supervisor, and its exit status waits to
  // be fetched: the range must not be over before that is told.
  reap(warden);
  if (warden.sweep_due_ms != 0) return;  // one more supervisor was lost, whose members nobody has looked for
  for (int slot = 0; slot < warden.table.end() && warden.lost_supervisors > 0; ++slot) {
    Range* range = warden.table.at(slot);
    if (range == nullptr || !range->lost || range->over) continue;
    --warden.lost_supervisors;
    range->facts.proven = false;
    finish(warden, *range, Facts::kEmpty);
  }
}

}  // namespace holdfast::warden
