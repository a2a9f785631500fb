// The launch thread: everything of a launch that may block. PATH lookups (a stat can hang on a network file system),
// descriptors, starting and probing wardens. A launch that hangs here delays other launches, never a running range.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/string_pool.h"
#include "diagnosis.h"
#include "host_state.h"
#include "owners.h"
#include "range.h"
#include "reactor.h"

namespace holdfast::linux_os {

class Launcher {
 public:
  using Task = std::function<void()>;

  Launcher(Reactor& reactor, WardenFiles files, ManagerAddress manager, core::StringPool& strings)
      : reactor_(reactor), strings_(strings), owners_(reactor, std::move(files), std::move(manager), host_state_) {}

  int start();
  /// Drops what is queued. False: the thread hangs in a system call and was left behind; it must not be joined, and this
  /// object must stay.
  bool stop();

  /// Any thread.
  void post(Task task);

  // --- launch thread ---
  void launch(const std::shared_ptr<Range>& range);
  Diagnosis diagnose();

  /// After stop(): the current wardens, for their end.
  std::vector<std::shared_ptr<WardenClient>> release_wardens();

 private:
  static void* main(void* self);
  void run();

  bool resolve(RangeRequest& request, core::Failure& failure);
  static bool would_fail(const RangeRequest& request, core::Failure& failure);
  struct ChildEnds;
  bool open_ends(RangeRequest& request, ChildEnds& ends, core::Failure& failure);
  void launch_by_warden(const std::shared_ptr<Range>& range, const Owners::Choice& choice, ChildEnds ends);
  void fail(const std::shared_ptr<Range>& range, core::Failure failure);

  Reactor& reactor_;
  core::StringPool& strings_;
  HostStateReader host_state_;
  Owners owners_;
  bool warned_ = false;

  pthread_t thread_{};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool stopping_ = false, stopped_ = false;
};

}  // namespace holdfast::linux_os
