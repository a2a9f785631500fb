// Reaching every process of a set that changes while one looks: repeat until a whole pass meets nobody new.
#pragma once
#include "facts.h"
#include "pid_set.h"
#include "procfs.h"
#include "sys.h"

namespace holdfast::warden {

/// Scratch of the sweeps, one pair a process (512 KiB and more if it were touched, so not on a stack).
extern constinit PidSet g_found;
extern constinit PidSet g_seen;

/// Passes that one sweep makes at most; who forks faster than that is met again by the next sweep.
inline constexpr int kMostPasses = 256;

/// `find(set)` adds who is there now. `is_member(stat)` says whether a pid that was found still is the process that is
/// meant: it is asked while its identity is held. `visit(process, stat)` is called once for each and returns false when
/// the process could not be reached, which does not count as news.
template <class Find, class IsMember, class Visit>
void for_each_once(Find&& find, IsMember&& is_member, Visit&& visit) {
  g_seen.clear();
  for (int pass = 0; pass < kMostPasses; ++pass) {
    g_found.clear();
    find(g_found);
    bool news = false;
    for (int i = 0; i < g_found.count(); ++i) {
      const int32_t pid = g_found.at(i);
      if (g_seen.has(pid)) continue;
      const Process process(pid);
      ProcessStat stat;
      if (!read_stat(pid, stat) || stat.dead() || !is_member(stat)) continue;
      g_seen.add(pid);
      if (visit(process, stat)) news = true;
    }
    if (!news) break;
  }
}

struct SweepResult {
  bool found = false;   // somebody alive was there
  bool denied = false;  // somebody may not be signalled (setuid)
};

/// Whether a process that was found among the descendants of `self` still is one of them.
inline bool descends(const ProcessStat& stat, int self) { return stat.parent == self || g_found.has(stat.parent); }

/// TERM for every process that descends from what `find` adds. Stopped ones are continued, so that their handlers run.
/// Members beyond facts.pid become strays.
template <class Find>
void term_descendants(int self, Facts& facts, Find&& find) {
  for_each_once(
      find, [self](const ProcessStat& stat) { return descends(stat, self); },
      [&facts](const Process& process, const ProcessStat& stat) {
        if (stat.pid != facts.pid) facts.stray(stat.pid, EndedBy::term, false);
        const bool reached = process.signal(SIGTERM) == 0;
        if (reached && stat.stopped()) process.signal(SIGCONT);
        return reached;
      });
}

/// STOP first, until nobody new is met, then KILL: with KILL alone every death makes room for the fork of another.
template <class Find>
SweepResult kill_descendants(int self, Facts* facts, Find&& find) {
  SweepResult result;
  const bool counted = facts != nullptr && facts->strays > kMaxListed;
  for_each_once(
      find, [self](const ProcessStat& stat) { return descends(stat, self); },
      [](const Process& process, const ProcessStat&) { return process.signal(SIGSTOP) == 0; });
  for (int i = 0; i < g_found.count(); ++i) {
    const int32_t pid = g_found.at(i);
    const Process process(pid);
    ProcessStat stat;
    if (!read_stat(pid, stat) || stat.dead() || !descends(stat, self)) continue;
    result.found = true;
    if (process.signal(0) == -EPERM) {
      result.denied = true;
      continue;
    }
    if (facts != nullptr && pid != facts->pid) facts->stray(pid, EndedBy::kill, counted);
    process.signal(SIGKILL);
  }
  return result;
}

}  // namespace holdfast::warden
