// What a child inherits from its host process, read when spawn() is called.
//
// Targets are children of the warden, which was started earlier: whatever the host has changed since (umask, limits,
// priority …) must be carried over, and what cannot be carried over (user, groups, capabilities, namespaces, seccomp)
// must be noticed, so that a child never has rights that the host has given up.
#pragma once
#include <string>

#include "warden/protocol.h"
#include "platform/posix/descriptors.h"

namespace holdfast::linux_os {

/// Keeps the /proc files of this process open: later they may be unreachable (chroot, another mount namespace), and a
/// pread of a kept descriptor costs a few microseconds.
class HostStateReader {
 public:
  /// 0 or an errno: without /proc nothing can be compared, and a warden must not be used.
  int open();
  void close();

  /// The lines of /proc/self/status that say who this process is: user, groups, capabilities, no_new_privs, seccomp.
  /// Also reads the umask, -1 where the kernel does not show it (before Linux 4.7). 0 or an errno.
  int read_status(std::string& credentials, int& umask) const;

  /// Everything of `warden::HostState` but the umask. What each thread has for itself (nice value, processors) is that of
  /// thread `of`: getpid() for the main thread, which stands for the process; 0 for the calling one.
  void read_limits(warden::HostState& out, pid_t of) const;

  /// Identities of the namespaces that a child inherits, as one comparable text.
  std::string namespaces();

 private:
  posix::Fd status_, oom_score_, namespaces_;
};

/// Takes out of `state` what a child of a process that was started with `inherited` has without being told: two dozen system
/// calls between clone and exec.
void leave_out_inherited(warden::HostState& state, const warden::HostState& inherited);

}  // namespace holdfast::linux_os
