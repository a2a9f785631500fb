#include "group_members.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace holdfast::posix {

namespace {

constexpr std::string_view kName = "_HOLDFAST_RANGE=";
/// Marks of ranges around this one that are kept; an environment must not grow without end.
constexpr std::size_t kMostOuter = 256;

bool same(const ProcessInfo& a, const ProcessInfo& b) { return a.pid == b.pid && a.start_time == b.start_time; }

/// Where the value of the mark begins in a block of entries, npos when there is none.
std::size_t find_mark(std::string_view block) {
  for (std::size_t at = block.find(kName); at != std::string_view::npos; at = block.find(kName, at + 1)) {
    if (at == 0 || block[at - 1] == '\0') return at + kName.size();
  }
  return std::string_view::npos;
}

std::string_view value_at(std::string_view block, std::size_t at) {
  return block.substr(at, block.substr(at).find('\0'));
}

}  // namespace

std::string mark_environment(std::string& block) {
  unsigned char random[8];
  if (::getentropy(random, sizeof random) != 0) return {};
  char mark[20];
  snprintf(mark, sizeof mark, "%02x%02x%02x%02x%02x%02x%02x%02x", random[0], random[1], random[2], random[3], random[4],
           random[5], random[6], random[7]);
  std::string entry = std::string(kName) + mark;
  const std::size_t outer = find_mark(block);
  if (outer != std::string::npos) {
    const std::string value(value_at(block, outer));
    if (value.size() <= kMostOuter) entry += ':' + value;
    block.erase(outer - kName.size(), kName.size() + value.size() + 1);
  }
  block += entry;
  block += '\0';
  return mark;
}

void GroupMembers::begin(pid_t leader) {
  std::lock_guard lock(mutex_);
  starting_ = leader;
  recognise_leader();
}

// Out of descriptors or memory at the moment of the start, the leader is recognised by a later look: without it, who leaves
// the group would never be looked for. False: not yet.
bool GroupMembers::recognise_leader() {
  if (starting_ <= 1) return true;
  ProcessInfo info;
  const bool ours = numbers_are_ours();
  if (!ours || !read_stat(starting_, info)) {
    if (may_be_there(errno)) return false;
    // Numbers that are not ours name strangers: there this range is what its group is.
    starting_ = 0;
    return true;
  }
  leader_ = std::exchange(starting_, 0);
  leader_start_ = info.start_time;
  has_session_ = true;
  return true;
}

void GroupMembers::end_session() {
  std::lock_guard lock(mutex_);
  has_session_ = false;
  starting_ = 0;
}

bool GroupMembers::is_known(const ProcessInfo& info) const {
  return std::any_of(known_.begin(), known_.end(), [&info](const ProcessInfo& known) { return same(known, info); });
}

bool GroupMembers::is_marked(pid_t pid, bool& complete) const {
  if (mark_.empty()) return false;
  const std::string block = read_environment(pid, complete);
  const std::size_t at = find_mark(block);
  return at != std::string::npos && value_at(block, at).find(mark_) != std::string_view::npos;
}

bool GroupMembers::look(const Visit& visit) {
  std::lock_guard lock(mutex_);
  if (!recognise_leader()) return false;
  if (leader_ <= 1) return true;
  std::vector<ProcessInfo> found, others;
  bool complete = true;
  const bool listed = each_process([&](ProcessInfo& info) {
    // Older than the command: not of it, and its environment need not be read.
    if (info.start_time < leader_start_ || is_zombie(info)) return;
    if ((has_session_ && info.session == leader_) || is_known(info) || is_marked(info.pid, complete)) {
      visit(info);
      found.push_back(std::move(info));
    } else {
      others.push_back(std::move(info));
    }
  });
  complete = complete && listed;
  find_children(found, others, visit);
  if (complete) {
    known_ = std::move(found);
  } else {
    known_.insert(known_.end(), found.begin(), found.end());
  }
  return complete;
}

// Those who have another session and another environment, but a member for a parent. Between two looks the parent
// may have ended and its number may be a stranger's: it is looked at again after the child, and a parent that still is
// itself has been itself all the time.
void GroupMembers::find_children(std::vector<ProcessInfo>& found, std::vector<ProcessInfo>& others, const Visit& visit) const {
  for (std::size_t i = 0; i < found.size(); i++) {
    const ProcessInfo parent = found[i];
    std::erase_if(others, [&](const ProcessInfo& other) {
      if (other.ppid != parent.pid) return false;
      ProcessInfo child, again;
      if (!read_stat(other.pid, child) || !same(child, other) || child.ppid != parent.pid) return false;
      if (!read_stat(parent.pid, again) || !same(again, parent)) return false;
      visit(child);
      found.push_back(std::move(child));
      return true;
    });
  }
}

void GroupMembers::track() {
  std::lock_guard lock(mutex_);
  recognise_leader();
  if (leader_ <= 1 || !has_session_) return;
  std::erase_if(known_, [](const ProcessInfo& known) {
    ProcessInfo now;
    errno = 0;
    if (!read_stat(known.pid, now)) return !may_be_there(errno);
    return !same(known, now) || is_zombie(now);
  });
  const std::vector<pid_t> below = descendants(leader_);
  for (const pid_t pid : below) {
    ProcessInfo info;
    if (!read_stat(pid, info) || is_zombie(info) || info.session == leader_ || is_known(info)) continue;
    // A number that was given away since then belongs to somebody with another parent.
    if (info.ppid != leader_ && std::find(below.begin(), below.end(), info.ppid) == below.end()) continue;
    known_.push_back(std::move(info));
  }
}

}  // namespace holdfast::posix
