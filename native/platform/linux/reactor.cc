#include "reactor.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "threads.h"

namespace holdfast::linux_os {

namespace {

constexpr int kBatch = 64;

// epoll_pwait2 (Linux 5.11) takes nanoseconds; elsewhere a millisecond is the finest wait. Looked up once per process.
int wait_events(int epoll, epoll_event* events, int capacity, int timeout_us) {
#ifdef SYS_epoll_pwait2
  static std::atomic<bool> has_pwait2{true};
  if (timeout_us > 0 && timeout_us % 1000 != 0 && has_pwait2.load(std::memory_order_relaxed)) {
    timespec timeout{timeout_us / 1000000, (timeout_us % 1000000) * 1000L};
    const long n = ::syscall(SYS_epoll_pwait2, epoll, events, capacity, &timeout, nullptr, 0);
    if (n >= 0 || (errno != ENOSYS && errno != EPERM)) return static_cast<int>(n);
    has_pwait2.store(false, std::memory_order_relaxed);
  }
#endif
  return ::epoll_wait(epoll, events, capacity, timeout_us < 0 ? -1 : (timeout_us + 999) / 1000);
}

}  // namespace

std::uint64_t now_us() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000u + static_cast<std::uint64_t>(now.tv_nsec) / 1000u;
}

int Reactor::start() {
  epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_) return errno;
  wake_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  int error = wake_ ? 0 : errno;
  if (error == 0) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = 0;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event) != 0) error = errno;
  }
  stopping_ = false;
  if (error == 0) error = start_thread(thread_, "holdfast-io", &Reactor::main, this);
  if (error != 0) {
    wake_.reset();
    epoll_.reset();
  }
  return error;
}

void Reactor::stop() {
  post([this] { stopping_ = true; });
  pthread_join(thread_, nullptr);
  // Handlers keep ranges and wardens alive; what is still watched or timed goes now, on no thread but this one.
  watches_.clear();
  timers_.clear();
  timer_places_.clear();
  tasks_.clear();
  wake_.reset();
  epoll_.reset();
}

void Reactor::post(Task task) {
  if (queue(std::move(task))) wake();
}

bool Reactor::queue(Task task) {
  std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  return tasks_.size() == 1;  // else whoever queued the first task wakes the thread
}

void Reactor::wake() {
  const std::uint64_t one = 1;
  // The only other failure is EAGAIN at 2^64-2 unread wake-ups, and then the thread is awake anyway.
  while (::write(wake_.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
}

Reactor::WatchId Reactor::watch(int fd, std::uint32_t events, Handler handler) {
  const WatchId id = next_watch_++;
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return 0;
  watches_.emplace(id, std::make_shared<Watch>(Watch{fd, events, std::move(handler)}));
  return id;
}

void Reactor::change(WatchId id, std::uint32_t events) {
  const auto found = watches_.find(id);
  if (found == watches_.end() || found->second->events == events) return;
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  // Cannot fail for a descriptor that is watched and open.
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, found->second->fd, &event) == 0) found->second->events = events;
}

void Reactor::unwatch(WatchId id) {
  const auto found = watches_.find(id);
  if (found == watches_.end()) return;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, found->second->fd, nullptr);
  watches_.erase(found);
}

Reactor::TimerId Reactor::at(std::uint64_t when_us, Task task) {
  const TimerId id = next_timer_++;
  timer_places_.emplace(id, timers_.emplace(when_us, std::pair(id, std::move(task))));
  return id;
}

void Reactor::cancel(TimerId id) {
  const auto place = timer_places_.find(id);
  if (place == timer_places_.end()) return;
  timers_.erase(place->second);
  timer_places_.erase(place);
}

void Reactor::catch_up() {
  std::vector<Task> tasks;
  {
    std::lock_guard lock(mutex_);
    tasks.swap(tasks_);
  }
  for (Task& task : tasks) task();
}

int Reactor::next_timeout_us(std::uint64_t now) const {
  if (timers_.empty()) return -1;
  const std::uint64_t when = timers_.begin()->first;
  if (when <= now) return 0;
  constexpr std::uint64_t kLongest = 1000u * 1000u * 1000u;  // fits an int; a later timer simply takes another round
  return static_cast<int>(when - now < kLongest ? when - now : kLongest);
}

void* Reactor::main(void* self) {
  static_cast<Reactor*>(self)->run();
  return nullptr;
}

void Reactor::run() {
  epoll_event events[kBatch];
  while (!stopping_) {
    const int n = wait_events(epoll_.get(), events, kBatch, next_timeout_us(now_us()));
    // The wake-up counter is emptied before the tasks are taken: a task that is posted in between wakes again.
    for (int i = 0; i < n; i++) {
      if (events[i].data.u64 != 0) continue;
      std::uint64_t count;
      (void)!::read(wake_.get(), &count, sizeof count);
    }
    catch_up();
    for (int i = 0; i < n; i++) {
      const auto found = watches_.find(events[i].data.u64);
      if (found == watches_.end()) continue;
      const std::shared_ptr<Watch> watch = found->second;  // the handler may unwatch itself
      watch->handler(events[i].events);
    }
    const std::uint64_t now = now_us();
    while (!timers_.empty() && timers_.begin()->first <= now) {
      Task task = std::move(timers_.begin()->second.second);
      timer_places_.erase(timers_.begin()->second.first);
      timers_.erase(timers_.begin());
      task();
    }
  }
}

}  // namespace holdfast::linux_os
