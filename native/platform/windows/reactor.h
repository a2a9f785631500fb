// The thread that waits: reads and writes of pipes, messages of Jobs, timers, and tasks from other threads, all through one
// completion port.
//
// Everything here runs on the reactor thread except post(), start() and stop().
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base.h"

namespace holdfast::windows {

/// Monotonic time in milliseconds.
std::uint64_t now_ms();

/// One read or write that is under way. Whoever starts it keeps it, and what it fills, until complete() was called.
class Operation : public OVERLAPPED {
 public:
  Operation() : OVERLAPPED{} {}
  virtual ~Operation() = default;
  /// `error`: ERROR_SUCCESS, or why; ERROR_OPERATION_ABORTED after CancelIoEx.
  virtual void complete(DWORD bytes, DWORD error) = 0;
  HANDLE file = nullptr;
};

class Reactor {
 public:
  using Task = std::function<void()>;
  using TimerId = std::uint64_t;
  using JobId = ULONG_PTR;
  using JobHandler = std::function<void(DWORD message)>;

  /// 0 or an errno; after an error nothing is left.
  int start();
  void stop();
  /// Any thread.
  void post(Task task);

  /// Any thread: what comes of `file` comes here. 0 or a Windows error.
  DWORD add_file(HANDLE file);
  /// Any thread: an id for a Job's messages, which are dropped until listen().
  JobId next_job();
  HANDLE port() const { return port_.get(); }
  void listen(JobId job, JobHandler handler) { jobs_[job] = std::move(handler); }
  void forget(JobId job) { jobs_.erase(job); }

  TimerId at(std::uint64_t when_ms, Task task);
  void cancel(TimerId timer);

 private:
  static constexpr ULONG_PTR kWake = 0, kFile = 1, kFirstJob = 16;

  void run();
  void run_tasks();
  void run_timers();
  DWORD next_timeout() const;

  Handle port_;
  std::thread thread_;
  std::mutex mutex_;
  std::vector<Task> tasks_;
  bool stopping_ = false;
  std::atomic<JobId> next_job_{kFirstJob};
  std::unordered_map<JobId, JobHandler> jobs_;
  using Timers = std::multimap<std::uint64_t, std::pair<TimerId, Task>>;
  Timers timers_;
  std::unordered_map<TimerId, Timers::iterator> timer_places_;
  TimerId next_timer_ = 1;
};

}  // namespace holdfast::windows
