// What waits for the kernel: epoll on Linux (linux/poller.cc), kqueue on macOS (darwin/poller.cc). Used by the reactor
// alone, on its thread, except wake().
#pragma once
#include <sys/types.h>

#include <cstdint>

#include "descriptors.h"

namespace holdfast::posix {

class Poller {
 public:
  /// What is asked for, and what has happened.
  enum : std::uint32_t {
    kRead = 1,
    kWrite = 2,
    /// Happened: the other end is gone, or the descriptor has failed. Told whatever was asked for.
    kHangUp = 4,
    /// Asked for: told once for each change, instead of as long as it is so. Nothing is told that was so before.
    kEdge = 8,
  };
  struct Event {
    std::uint64_t id = 0;
    std::uint32_t events = 0;
  };

  /// 0 or an errno.
  int open();
  void close();
  /// Any thread. Ends the wait that is under way, or the next one.
  void wake();

  /// `id`, which is not 0, comes back with each event. 0 or an errno.
  int add(int fd, std::uint32_t events, std::uint64_t id);
  void change(int fd, std::uint32_t before, std::uint32_t events, std::uint64_t id);
  void remove(int fd, std::uint32_t events);

  /// One event when this child has exited; it may still be a moment until it can be waited for. `handle` is what
  /// remove_exit() needs. False: nobody will tell, it must be asked for.
  bool add_exit(pid_t child, std::uint64_t id, Fd& handle);
  void remove_exit(pid_t child, const Fd& handle);

  /// Waits for at most `timeout_us` (-1: without end). The number of events; 0 also for a wake-up or an interruption.
  int wait(Event* events, int capacity, int timeout_us);

 private:
  Fd queue_;
  Fd wake_;  // an eventfd; a kqueue has a wake-up of its own
};

}  // namespace holdfast::posix
