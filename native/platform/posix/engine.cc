#include "engine.h"

#include <errno.h>

#include <condition_variable>

#include "group_owner.h"
#include "lookup.h"

namespace holdfast::posix {

Engine& Engine::instance() {
  static Engine* const engine = new Engine;
  return *engine;
}

void Engine::attach(WardenFiles files, ManagerAddress manager) {
  std::lock_guard lock(mutex_);
  if (environments_++ != 0) return;
  files_ = std::move(files);
  manager_ = std::move(manager);
}

int Engine::ensure_started() {
  std::lock_guard lock(mutex_);
  if (running_) return 0;
  auto reactor = std::make_unique<Reactor>();
  if (const int error = reactor->start()) return error;
  auto launcher = make_launcher(*reactor, files_, manager_, strings_);
  if (const int error = launcher->start()) {
    reactor->stop();
    return error;
  }
  reactor_ = reactor.release();
  launcher_ = launcher.release();
  running_ = true;
  return 0;
}

int Engine::read_host(std::string& credentials, int& umask) {
  std::lock_guard lock(mutex_);
  return launcher_->read_host(credentials, umask);
}

std::shared_ptr<SpillDirectory> Engine::spill_directory(const std::string& base, const std::string& prefix) {
  std::lock_guard lock(mutex_);
  auto& directory = spill_directories_[base + '\0' + prefix];
  if (!directory) directory = std::make_shared<SpillDirectory>(base, prefix);
  return directory;
}

void Engine::launch(const std::shared_ptr<Range>& range) {
  {
    std::lock_guard lock(ranges_mutex_);
    ranges_.emplace(range->id, range);
  }
  range->on_over = [this, id = range->id] {
    std::lock_guard lock(ranges_mutex_);
    ranges_.erase(id);
  };
  launcher_->post([this, range] { launcher_->launch(range); });
}

// What follows may also be asked for a range that failed because no thread could be started: it is over, and there may be
// no reactor.

void Engine::terminate(const std::shared_ptr<Range>& range) {
  if (!range->over()) reactor_->post([this, range] { range->terminate(*reactor_); });
}

void Engine::kill(const std::shared_ptr<Range>& range) {
  if (!range->over()) reactor_->post([this, range] { range->kill_now(*reactor_); });
}

void Engine::stream_closed(const std::shared_ptr<Range>& range, int stream) {
  if (!range->over()) reactor_->post([range, stream] { range->stream_closed(stream); });
}

void Engine::watch(const std::shared_ptr<Range>& range, int stream, std::uint64_t beyond) {
  const auto& collector = range->collector(stream);
  if (!collector) return;
  collector->watch(beyond);
  // Whoever waits wants the next bytes now, also those that were left to gather.
  if (!collector->ring().sealed()) reactor_->post([collector] { collector->hurry(); });
}

void Engine::kill_all(core::FactSink* sink) {
  sink->end();
  {
    std::lock_guard lock(mutex_);
    if (running_) {
      std::lock_guard ranges_lock(ranges_mutex_);
      for (const auto& [id, range] : ranges_) {
        if (range->sink.get() == sink) kill(range);
      }
    }
    for (const auto& [key, directory] : spill_directories_) directory->remove_if_empty();
  }
  kill_groups(sink);
}

void Engine::diagnose(std::function<void(Diagnosis)> done) {
  launcher_->post([this, done = std::move(done)] { done(launcher_->diagnose()); });
}

void Engine::look_up(std::string name, std::string path, std::string cwd, std::function<void(Lookup)> done) {
  launcher_->post([name = std::move(name), path = std::move(path), cwd = std::move(cwd), done = std::move(done)] {
    done(posix::look_up(name, path, cwd));
  });
}

// The environment's ranges are killed and waited for, so that a worker that ends leaves nothing behind. The wait is
// bounded: a member in uninterruptible sleep must not keep the host from exiting.
void Engine::detach(core::FactSink* sink) {
  kill_all(sink);
  for (int waited = 0; waited < 1000; waited++) {
    {
      std::lock_guard lock(ranges_mutex_);
      bool any = false;
      for (const auto& [id, range] : ranges_) any |= range->sink.get() == sink;
      if (!any) break;
    }
    timespec pause{0, 1000000L};
    ::nanosleep(&pause, nullptr);
  }
  // Counted down only now: another environment that ends meanwhile, and would be the last, must not stop the reactor while
  // it still ends our ranges. Their descriptors would never be closed.
  bool last;
  {
    std::lock_guard lock(mutex_);
    last = --environments_ == 0;
  }
  if (last) stop();
}

void Engine::stop() {
  std::lock_guard lock(mutex_);
  if (environments_ != 0 || !running_) return;
  running_ = false;
  const bool joined = launcher_->stop();
  if (joined) {
    launcher_->release_owners();
    reactor_->stop();
    delete launcher_;
    delete reactor_;
  }
  // Not joined: the launch thread hangs in a system call. It, the reactor that it may still post to, and the warden stay
  // as they are; the warden notices the end of the process.
  launcher_ = nullptr;
  reactor_ = nullptr;
  {
    std::lock_guard ranges_lock(ranges_mutex_);
    ranges_.clear();
  }
  spill_directories_.clear();
}

Engine::Footprint Engine::footprint() {
  std::lock_guard lock(mutex_);
  std::lock_guard ranges_lock(ranges_mutex_);
  return {running_ ? 2 : 0, ranges_.size()};
}

}  // namespace holdfast::posix
