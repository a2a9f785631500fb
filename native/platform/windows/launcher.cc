#include "launcher.h"

#include <errno.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "launch.h"

namespace holdfast::windows {

int Launcher::start() {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    return EAGAIN;
  }
  return 0;
}

bool Launcher::stop() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  tasks_.clear();
  changed_.notify_all();
  const bool ended = changed_.wait_for(lock, std::chrono::seconds(1), [this] { return stopped_; });
  lock.unlock();
  if (ended) {
    thread_.join();
  } else {
    thread_.detach();
  }
  return ended;
}

void Launcher::post(Task task) {
  std::lock_guard lock(mutex_);
  if (stopping_) return;
  tasks_.push_back(std::move(task));
  changed_.notify_all();
}

void Launcher::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (tasks_.empty()) {
      changed_.wait(lock);
      continue;
    }
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
  }
  stopped_ = true;
  changed_.notify_all();
}

void Launcher::launch(const std::shared_ptr<Range>& range) {
  if (range->sink->ended() || !range->claim_launch()) return;
  RangeRequest& request = range->request();
  core::Failure failure;
  bool fine = !request.failure;
  if (!fine) failure = *request.failure;
  if (fine && std::find(request.owners.begin(), request.owners.end(), core::Owner::job) == request.owners.end()) {
    fine = false;
    failure = {.error = 0, .code = "OWNER_UNAVAILABLE", .stage = core::Stage::own, .syscall = {},
               .subject = "on Windows the owner of a command is a Job: allow 'job' or 'auto' in options.ownership"};
  }
  auto launched = std::make_shared<Launched>();
  if (fine) fine = windows::launch(request, reactor_, *launched, failure);
  if (!fine) return reactor_.post([range, failure] { range->failed(failure); });
  reactor_.post([this, range, launched] {
    range->started(reactor_, std::move(launched->held), launched->outputs, std::move(launched->input));
  });
}

void Launcher::interrupt(const std::shared_ptr<Range>& range) {
  const auto held = range->facts().holder;
  if (!held) return;  // nobody is left to be told
  auto interruption = std::make_shared<Interruption>();
  if (start_interruption(held->job, *interruption) != 0) interruption.reset();
  reactor_.post([range, interruption] { range->interruption_started(interruption); });
}

}  // namespace holdfast::windows
