// The launch thread: everything of a launch that may block. A launch that hangs here (a dead network drive) delays other
// launches, never a running range.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "range.h"
#include "reactor.h"

namespace holdfast::windows {

class Launcher {
 public:
  using Task = std::function<void()>;
  explicit Launcher(Reactor& reactor) : reactor_(reactor) {}

  /// 0 or an errno.
  int start();
  /// Drops what is queued. False: the thread hangs in a call of the system and was left behind; this object must stay.
  bool stop();
  /// Any thread.
  void post(Task task);
  /// Launch thread.
  void launch(const std::shared_ptr<Range>& range);
  /// Launch thread: because it starts a process.
  void interrupt(const std::shared_ptr<Range>& range);

 private:
  void run();

  Reactor& reactor_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool stopping_ = false, stopped_ = false;
};

}  // namespace holdfast::windows
