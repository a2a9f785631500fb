#include "reactor.h"

#include <errno.h>

#include <system_error>

namespace holdfast::windows {

std::uint64_t now_ms() { return ::GetTickCount64(); }

int Reactor::start() {
  port_ = Handle(::CreateIoCompletionPort(INVALID_HANDLE_VALUE, nullptr, 0, 1));
  if (!port_) return errno_of(::GetLastError());
  stopping_ = false;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    port_.reset();
    return EAGAIN;
  }
  return 0;
}

void Reactor::stop() {
  post([this] { stopping_ = true; });
  thread_.join();
  jobs_.clear();
  timers_.clear();
  timer_places_.clear();
  tasks_.clear();
  port_.reset();
}

void Reactor::post(Task task) {
  bool first;
  {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    first = tasks_.size() == 1;  // else whoever queued the first one has woken the thread
  }
  // Fails for want of memory only; the next turn, at the latest that of the slow timer of a Job, runs the tasks then.
  if (first) ::PostQueuedCompletionStatus(port_.get(), 0, kWake, nullptr);
}

DWORD Reactor::add_file(HANDLE file) {
  return ::CreateIoCompletionPort(file, port_.get(), kFile, 0) == nullptr ? ::GetLastError() : 0;
}

Reactor::JobId Reactor::next_job() { return next_job_.fetch_add(1, std::memory_order_relaxed); }

Reactor::TimerId Reactor::at(std::uint64_t when_ms, Task task) {
  const TimerId id = next_timer_++;
  timer_places_.emplace(id, timers_.emplace(when_ms, std::pair(id, std::move(task))));
  return id;
}

void Reactor::cancel(TimerId id) {
  const auto place = timer_places_.find(id);
  if (place == timer_places_.end()) return;
  timers_.erase(place->second);
  timer_places_.erase(place);
}

void Reactor::run_tasks() {
  std::vector<Task> tasks;
  {
    std::lock_guard lock(mutex_);
    tasks.swap(tasks_);
  }
  for (Task& task : tasks) task();
}

void Reactor::run_timers() {
  const std::uint64_t now = now_ms();
  while (!timers_.empty() && timers_.begin()->first <= now) {
    Task task = std::move(timers_.begin()->second.second);
    timer_places_.erase(timers_.begin()->second.first);
    timers_.erase(timers_.begin());
    task();
  }
}

DWORD Reactor::next_timeout() const {
  if (timers_.empty()) return INFINITE;
  const std::uint64_t when = timers_.begin()->first, now = now_ms();
  if (when <= now) return 0;
  constexpr std::uint64_t kLongest = 1000u * 1000u;  // a later timer simply takes another round
  return static_cast<DWORD>(when - now < kLongest ? when - now : kLongest);
}

void Reactor::run() {
  OVERLAPPED_ENTRY entries[64];
  while (!stopping_) {
    ULONG count = 0;
    if (!::GetQueuedCompletionStatusEx(port_.get(), entries, 64, &count, next_timeout(), FALSE)) count = 0;
    run_tasks();
    for (ULONG i = 0; i < count; i++) {
      const OVERLAPPED_ENTRY& entry = entries[i];
      if (entry.lpCompletionKey == kFile && entry.lpOverlapped != nullptr) {
        auto* operation = static_cast<Operation*>(entry.lpOverlapped);
        DWORD bytes = 0;
        const BOOL fine = ::GetOverlappedResult(operation->file, operation, &bytes, FALSE);
        operation->complete(bytes, fine ? ERROR_SUCCESS : ::GetLastError());
      } else if (entry.lpCompletionKey >= kFirstJob) {
        const auto found = jobs_.find(entry.lpCompletionKey);
        if (found == jobs_.end()) continue;
        const JobHandler handler = found->second;  // it may forget itself
        handler(entry.dwNumberOfBytesTransferred);
      }
    }
    run_timers();
  }
}

}  // namespace holdfast::windows
