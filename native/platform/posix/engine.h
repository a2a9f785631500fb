// One engine per loaded copy of the addon, however many environments (main thread, workers) use it. The first spawn or
// diagnosis starts its threads; the end of the last environment stops them and what they have started. A host that loads Holdfast
// and spawns nothing has no thread, no process and no descriptor of ours.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/string_pool.h"
#include "lookup.h"
#include "spill_file.h"
#include "launcher.h"
#include "range.h"
#include "reactor.h"

namespace holdfast::posix {

class Engine {
 public:
  /// Never destroyed: threads of a host that is exiting may still run through it.
  static Engine& instance();

  // --- JS threads ---
  void attach(WardenFiles files, ManagerAddress manager);
  /// Ends everything that `sink`'s environment owns; the last one stops the engine.
  void detach(core::FactSink* sink);

  /// umask and identity of the host at this moment, for a request.
  int read_host(std::string& credentials, int& umask);
  std::shared_ptr<SpillDirectory> spill_directory(const std::string& base, const std::string& prefix);

  /// Memory for environment blocks.
  core::StringPool& strings() { return strings_; }

  /// Starts the threads where they do not run yet. 0 or an errno.
  int ensure_started();
  std::uint64_t next_id() { return next_id_.fetch_add(1, std::memory_order_relaxed); }
  void launch(const std::shared_ptr<Range>& range);
  void terminate(const std::shared_ptr<Range>& range);
  void kill(const std::shared_ptr<Range>& range);
  void stream_closed(const std::shared_ptr<Range>& range, int stream);
  void watch(const std::shared_ptr<Range>& range, int stream, std::uint64_t beyond);
  /// At the host's exit: KILL for all ranges of `sink`, and empty spill directories are removed.
  void kill_all(core::FactSink* sink);
  /// Off the JS thread; `done` is called on the launch thread.
  void diagnose(std::function<void(Diagnosis)> done);
  void look_up(std::string name, std::string path, std::string cwd, std::function<void(Lookup)> done);

  struct Footprint {
    int threads;         // of ours
    std::size_t ranges;  // that are not over
  };
  Footprint footprint();

 private:
  Engine() = default;
  void stop();

  std::mutex mutex_;  // starting, stopping, spill directories
  int environments_ = 0;
  bool running_ = false;
  WardenFiles files_;
  ManagerAddress manager_;
  // Kept on the heap: a launch thread that hangs in a system call is left behind together with what it uses.
  Reactor* reactor_ = nullptr;
  Launcher* launcher_ = nullptr;
  core::StringPool strings_;
  std::atomic<std::uint64_t> next_id_{1};
  std::unordered_map<std::string, std::shared_ptr<SpillDirectory>> spill_directories_;

  // Ranges that are not over. The reactor removes them.
  std::mutex ranges_mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Range>> ranges_;
};

}  // namespace holdfast::posix
