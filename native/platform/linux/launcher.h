// The launch thread: everything of a launch that may block. PATH lookups (a stat can hang on a network file system),
// descriptors, starting and probing wardens. A launch that hangs here delays other launches, never a running range.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/string_pool.h"
#include "host_state.h"
#include "range.h"
#include "reactor.h"
#include "warden_client.h"

namespace holdfast::linux_os {

struct OwnerFinding {
  core::Owner owner;
  bool available;
  std::string reason;  // where it is not available
};

struct Diagnosis {
  std::vector<OwnerFinding> owners;
  core::Owner chosen = core::Owner::group;
  std::string warden_from = "none", warden_path;
  pid_t warden_pid = -1;
  std::vector<std::pair<std::string, bool>> kernel;
  std::vector<std::pair<std::string, double>> limits;
};

class Launcher {
 public:
  using Task = std::function<void()>;

  Launcher(Reactor& reactor, WardenFiles files, core::StringPool& strings)
      : reactor_(reactor), files_(std::move(files)), strings_(strings) {}

  int start();
  /// Drops what is queued. False: the thread hangs in a system call and was left behind; it must not be joined, and this
  /// object must stay.
  bool stop();

  /// Any thread.
  void post(Task task);

  // --- launch thread ---
  void launch(const std::shared_ptr<Range>& range);
  Diagnosis diagnose();

  /// After stop(): the current warden, for its end; may be null.
  std::shared_ptr<WardenClient> release_warden();

 private:
  static void* main(void* self);
  void run();

  struct Choice {
    core::Owner owner;
    std::string weaker_because;  // why the first wanted owner was not taken
  };
  std::optional<Choice> choose(const RangeRequest& request, core::Failure& failure);
  bool resolve(RangeRequest& request, core::Failure& failure);
  static bool would_fail(const RangeRequest& request, core::Failure& failure);
  struct ChildEnds;
  bool open_ends(RangeRequest& request, ChildEnds& ends, core::Failure& failure);
  void launch_by_warden(const std::shared_ptr<Range>& range, core::Owner owner, ChildEnds ends);
  int ensure_warden(const std::string& credentials);
  const OwnerFinding& finding(core::Owner owner) const;
  void fail(const std::shared_ptr<Range>& range, core::Failure failure);

  Reactor& reactor_;
  const WardenFiles files_;
  core::StringPool& strings_;
  HostStateReader host_state_;
  std::shared_ptr<WardenClient> warden_;
  std::vector<OwnerFinding> findings_;  // of the last warden start; empty before the first
  std::string warden_from_ = "none", warden_path_;
  bool warned_ = false;

  pthread_t thread_{};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool stopping_ = false, stopped_ = false;
};

}  // namespace holdfast::linux_os
