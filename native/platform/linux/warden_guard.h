// Somebody may stop the warden: a member with our rights, or a person who meant something else. Nothing tells of a child that
// stops but a wait of its parent: no signal is ours to handle, and looking from time to time would wake a host in which
// nothing happens. So a thread waits in the kernel. What has been stopped is continued; who stops it again within a second
// wants it dead, and its death is something that is dealt with.
#pragma once
#include <pthread.h>
#include <sys/types.h>

#include <cstdint>
#include <mutex>

namespace holdfast::linux_os {

class WardenGuard {
 public:
  WardenGuard() = default;
  WardenGuard(const WardenGuard&) = delete;
  WardenGuard& operator=(const WardenGuard&) = delete;
  /// stop() has been called if start() was.
  ~WardenGuard() = default;

  /// Guards the child `warden` until it ends; does nothing when it is guarded already. Without a thread (EAGAIN) it is
  /// tried again by the next call.
  void start(pid_t warden);
  /// Reaps the warden as reap_warden() does, and ends the thread with it.
  void reap(pid_t warden, int timeout_ms);

 private:
  static void* run(void* self);
  /// False: there is nobody to wait for any more.
  bool wait_for_stop();

  pthread_t thread_{};
  bool running_ = false;
  std::mutex mutex_;     // a signal is only sent to a warden that is not reaped
  pid_t warden_ = -1;    // -1 once it is
  std::uint64_t continued_us_ = 0;
};

}  // namespace holdfast::linux_os
