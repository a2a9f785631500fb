// One engine per loaded copy of the addon, however many environments (main thread, workers) use it. The first spawn or
// diagnosis starts its threads; the end of the last environment stops them.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/string_pool.h"
#include "diagnosis.h"
#include "inspect.h"
#include "launcher.h"
#include "lookup.h"
#include "range.h"
#include "reactor.h"
#include "spill_file.h"

namespace holdfast::windows {

/// What other systems need for their start.
struct WardenFiles {
  std::string override_path, package_path, temporary_directory;
};
struct ManagerAddress {
  std::string session_bus, runtime_directory;
};

class Engine {
 public:
  /// Never destroyed: threads of a host that is exiting may still run through it.
  static Engine& instance();

  // --- JS threads ---
  void attach(const WardenFiles& files, const ManagerAddress& manager);
  /// Ends everything that `sink`'s environment owns; the last one stops the engine.
  void detach(core::FactSink* sink);
  int read_host(std::string& credentials, int& umask);
  std::shared_ptr<SpillDirectory> spill_directory(const std::string& base, const std::string& prefix);
  core::StringPool& strings() { return strings_; }
  /// Starts the threads where they do not run yet. 0 or an errno.
  int ensure_started();
  std::uint64_t next_id() { return next_id_.fetch_add(1, std::memory_order_relaxed); }
  void launch(const std::shared_ptr<Range>& range);
  void terminate(const std::shared_ptr<Range>& range);
  void kill(const std::shared_ptr<Range>& range);
  void stream_closed(const std::shared_ptr<Range>& range, int stream);
  void watch(const std::shared_ptr<Range>& range, int stream, std::uint64_t beyond);
  /// At the host's exit: everything of `sink` is ended now, and empty spill directories are removed.
  void kill_all(core::FactSink* sink);
  /// Off the JS thread; `done` is called on the launch thread.
  void diagnose(std::function<void(Diagnosis)> done);
  void look_up(std::string name, std::string path, std::string extensions, std::string cwd, std::function<void(Lookup)> done);

  struct Footprint {
    int threads;
    std::size_t ranges;
  };
  Footprint footprint();

 private:
  Engine() = default;
  void stop();

  std::mutex mutex_;
  int environments_ = 0;
  bool running_ = false;
  // Kept on the heap: a launch thread that hangs is left behind together with what it uses.
  Reactor* reactor_ = nullptr;
  Launcher* launcher_ = nullptr;
  core::StringPool strings_;
  std::atomic<std::uint64_t> next_id_{1};
  std::unordered_map<std::string, std::shared_ptr<SpillDirectory>> spill_directories_;
  std::mutex ranges_mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Range>> ranges_;
};

}  // namespace holdfast::windows
