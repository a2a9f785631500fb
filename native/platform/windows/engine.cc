#include "engine.h"

#include "core/windows_names.h"

namespace holdfast::windows {

Engine& Engine::instance() {
  static Engine* const engine = new Engine;
  return *engine;
}

void Engine::attach(const WardenFiles&, const ManagerAddress&) {
  std::lock_guard lock(mutex_);
  environments_++;
}

int Engine::read_host(std::string&, int&) { return 0; }

int Engine::ensure_started() {
  std::lock_guard lock(mutex_);
  if (running_) return 0;
  // Node unloads an addon when the worker that loaded it ends, under the feet of our threads.
  HMODULE self = nullptr;
  ::GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
                       reinterpret_cast<LPCWSTR>(reinterpret_cast<void*>(&Engine::instance)), &self);
  auto reactor = std::make_unique<Reactor>();
  if (const int error = reactor->start()) return error;
  auto launcher = std::make_unique<Launcher>(*reactor);
  if (const int error = launcher->start()) {
    reactor->stop();
    return error;
  }
  reactor_ = reactor.release();
  launcher_ = launcher.release();
  running_ = true;
  return 0;
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
  range->ask_for_interruption = [this, weak = std::weak_ptr(range)] {
    if (const auto alive = weak.lock()) launcher_->post([this, alive] { launcher_->interrupt(alive); });
  };
  launcher_->post([this, range] { launcher_->launch(range); });
}

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
  if (const auto& collector = range->collector(stream)) collector->watch(beyond);
}

void Engine::kill_all(core::FactSink* sink) {
  sink->end();
  std::lock_guard lock(mutex_);
  if (running_) {
    std::lock_guard ranges_lock(ranges_mutex_);
    for (const auto& [id, range] : ranges_) {
      if (range->sink.get() != sink) continue;
      // At once and on this thread: the process may end before the reactor has its turn.
      if (const auto held = range->facts().holder) (void)held->job.kill();
      kill(range);
    }
  }
  for (const auto& [key, directory] : spill_directories_) directory->remove_if_empty();
}

void Engine::diagnose(std::function<void(Diagnosis)> done) {
  launcher_->post([this, done = std::move(done)] { done(look_around(*reactor_)); });
}

void Engine::look_up(std::string name, std::string path, std::string extensions, std::string cwd, std::function<void(Lookup)> done) {
  launcher_->post([name = std::move(name), path = std::move(path), extensions = std::move(extensions), cwd = std::move(cwd),
                   done = std::move(done)] { done(first_file(core::program_candidates(name, path, extensions, cwd))); });
}

// The environment's ranges are killed and waited for, so that a worker that ends leaves nothing behind. The wait is bounded:
// a process that cannot be ended must not keep the host from exiting.
void Engine::detach(core::FactSink* sink) {
  kill_all(sink);
  for (int waited = 0; waited < 1000; waited++) {
    {
      std::lock_guard lock(ranges_mutex_);
      bool any = false;
      for (const auto& [id, range] : ranges_) any |= range->sink.get() == sink;
      if (!any) break;
    }
    ::Sleep(1);
  }
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
  if (launcher_->stop()) {
    reactor_->stop();
    delete launcher_;
    delete reactor_;
  }
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

}  // namespace holdfast::windows
