// The thread that waits: collected pipes, the sockets of wardens and supervisors, timers, and tasks from other threads.
//
// Everything here runs on the reactor thread except post(), start() and stop(). A handler may add, change and remove
// descriptors, its own too; an event that was already fetched for a removed one is dropped.
#pragma once
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "poller.h"

namespace holdfast::posix {

/// Monotonic time in microseconds.
std::uint64_t now_us();

class Reactor {
 public:
  using Task = std::function<void()>;
  using Handler = std::function<void(std::uint32_t events)>;
  using TimerId = std::uint64_t;
  /// 0: no such watch. Never reused, so a stale one is harmless.
  using WatchId = std::uint64_t;

  /// Opens the descriptors and starts the thread. 0 or an errno; after an error nothing is left.
  int start();
  /// Runs the tasks that are still queued, ends the thread and joins it.
  void stop();

  /// Any thread. Tasks run in order, and before a handler is called for an event that came later than they did. A
  /// handler that reads on may meet what came later still: see catch_up().
  void post(Task task);
  /// The two halves of post(), for whoever has something more urgent to do between them. True: wake() must follow.
  bool queue(Task task);
  void wake();
  /// Runs the tasks that are queued now. For a handler that has read of something which a task was to announce.
  void catch_up();

  /// Watches `fd`, which must stay open until unwatch(). `events` as Poller has them. 0 and errno on failure.
  WatchId watch(int fd, std::uint32_t events, Handler handler);
  /// Calls `handler` once when this child of ours has exited; it may still be a moment until it can be waited for. 0 where
  /// nobody tells of it (before Linux 5.3), or not any more.
  WatchId watch_exit(pid_t child, Handler handler);
  void change(WatchId watch, std::uint32_t events);
  void unwatch(WatchId watch);

  TimerId at(std::uint64_t when_us, Task task);
  void cancel(TimerId timer);

 private:
  struct Watch {
    int fd;
    std::uint32_t events;
    Handler handler;
    pid_t child = 0;   // of watch_exit(), with a handle on it instead of `fd`
    Fd handle = Fd();
  };

  static void* main(void* self);
  void run();
  int next_timeout_us(std::uint64_t now) const;

  Poller poller_;
  pthread_t thread_{};
  std::mutex mutex_;
  std::vector<Task> tasks_;
  bool stopping_ = false;
  std::unordered_map<WatchId, std::shared_ptr<Watch>> watches_;
  WatchId next_watch_ = 1;
  using Timers = std::multimap<std::uint64_t, std::pair<TimerId, Task>>;
  Timers timers_;  // by time
  std::unordered_map<TimerId, Timers::iterator> timer_places_;
  TimerId next_timer_ = 1;
};

}  // namespace holdfast::posix
