#include "reactor.h"

#include <errno.h>
#include <time.h>

#include "threads.h"

namespace holdfast::posix {

namespace {

constexpr int kBatch = 64;

}  // namespace

std::uint64_t now_us() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000u + static_cast<std::uint64_t>(now.tv_nsec) / 1000u;
}

int Reactor::start() {
  if (const int error = poller_.open()) return error;
  stopping_ = false;
  const int error = start_thread(thread_, &Reactor::main, this);
  if (error != 0) poller_.close();
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
  poller_.close();
}

void Reactor::post(Task task) {
  if (queue(std::move(task))) wake();
}

bool Reactor::queue(Task task) {
  std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  return tasks_.size() == 1;  // else whoever queued the first task wakes the thread
}

void Reactor::wake() { poller_.wake(); }

Reactor::WatchId Reactor::watch(int fd, std::uint32_t events, Handler handler) {
  const WatchId id = next_watch_++;
  if (const int error = poller_.add(fd, events, id)) {
    errno = error;
    return 0;
  }
  watches_.emplace(id, std::make_shared<Watch>(Watch{.fd = fd, .events = events, .handler = std::move(handler)}));
  return id;
}

Reactor::WatchId Reactor::watch_exit(pid_t child, Handler handler) {
  const WatchId id = next_watch_++;
  auto watch = std::make_shared<Watch>(Watch{.fd = -1, .events = 0, .handler = std::move(handler), .child = child});
  if (!poller_.add_exit(child, id, watch->handle)) return 0;
  watches_.emplace(id, std::move(watch));
  return id;
}

void Reactor::change(WatchId id, std::uint32_t events) {
  const auto found = watches_.find(id);
  if (found == watches_.end() || found->second->events == events) return;
  poller_.change(found->second->fd, found->second->events, events, id);
  found->second->events = events;
}

void Reactor::unwatch(WatchId id) {
  const auto found = watches_.find(id);
  if (found == watches_.end()) return;
  const Watch& watch = *found->second;
  if (watch.child != 0) {
    poller_.remove_exit(watch.child, watch.handle);
  } else {
    poller_.remove(watch.fd, watch.events);
  }
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
  name_this_thread("holdfast-io");
  static_cast<Reactor*>(self)->run();
  return nullptr;
}

void Reactor::run() {
  Poller::Event events[kBatch];
  while (!stopping_) {
    // A wake-up is taken in before the tasks are: a task that is posted in between wakes again.
    const int n = poller_.wait(events, kBatch, next_timeout_us(now_us()));
    catch_up();
    for (int i = 0; i < n; i++) {
      const auto found = watches_.find(events[i].id);
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

}  // namespace holdfast::posix
