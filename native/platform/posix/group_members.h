// Who belongs to a range that no kernel object bounds. Three signs, each with an exact identity (pid and start time):
// the session of the command, a mark in the environment, and a parent that was seen to be a member.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "processes.h"

namespace holdfast::posix {

/// Adds a fresh mark to an environment block (`K=V` entries, each followed by NUL) and returns it. What the host itself is
/// marked with stays behind it, so that a range inside a range belongs to both. The name begins with an underscore, not with
/// a managed prefix, so that no scrub takes it away. Empty and no change when the kernel gives no random bytes.
std::string mark_environment(std::string& block);

/// Any thread.
class GroupMembers {
 public:
  using Visit = std::function<void(const ProcessInfo&)>;

  explicit GroupMembers(std::string mark) : mark_(std::move(mark)) {}

  /// The leader has started, and is not reaped.
  void begin(pid_t leader);
  /// The leader's number may be given away from now on: its session is no sign any more.
  void end_session();

  /// Looks at all processes. `visit` is called for each living member as soon as it is recognised: who forks and exits all
  /// the time is somebody else a millisecond later. False: something could not be read, and somebody may have been missed.
  bool look(const Visit& visit);
  /// Looks at the descendants of the leader only and remembers them, for the time when their parents are gone.
  void track();

 private:
  bool is_known(const ProcessInfo& info) const;
  bool is_marked(pid_t pid, bool& complete) const;
  bool recognise_leader();
  void find_children(std::vector<ProcessInfo>& found, std::vector<ProcessInfo>& others, const Visit& visit) const;

  const std::string mark_;
  std::mutex mutex_;
  pid_t starting_ = 0;  // the leader, as long as it could not be looked at
  pid_t leader_ = 0;
  std::uint64_t leader_start_ = 0;
  bool has_session_ = false;
  std::vector<ProcessInfo> known_;
};

}  // namespace holdfast::posix
