// The launch thread: everything of a launch that may block. PATH lookups (a stat can hang on a network file system),
// descriptors, whatever an owner needs. A launch that hangs here delays other launches, never a running range.
//
// Who holds the command is the platform's to choose: linux/launcher.h, darwin/launcher.cc.
#pragma once
#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "core/string_pool.h"
#include "diagnosis.h"
#include "group_owner.h"
#include "range.h"
#include "reactor.h"

namespace holdfast::posix {

/// Where the warden of Linux can be had.
struct WardenFiles {
  std::string override_path;  // HOLDFAST_WARDEN: this file and no other
  std::string packaged_path;  // beside the binary
  std::string directory;      // where a copy may be written as the last resort
};

/// What the host's environment says about its user manager (systemd).
struct ManagerAddress {
  std::string session_bus;        // DBUS_SESSION_BUS_ADDRESS
  std::string runtime_directory;  // XDG_RUNTIME_DIR
};

class Launcher {
 public:
  using Task = std::function<void()>;

  virtual ~Launcher() = default;

  int start();
  /// Drops what is queued. False: the thread hangs in a system call and was left behind; it must not be joined, and this
  /// object must stay.
  bool stop();

  /// Any thread.
  void post(Task task);

  // --- launch thread ---
  void launch(const std::shared_ptr<Range>& range);
  virtual Diagnosis diagnose() = 0;

  // --- JS threads, one at a time ---
  /// umask and identity of the host at this moment, for a request; -1 and "" where both are simply inherited by whatever
  /// is launched. 0 or an errno.
  virtual int read_host(std::string& credentials, int& umask) = 0;
  /// After stop(): ends what commands were held with.
  virtual void release_owners() = 0;

 protected:
  explicit Launcher(Reactor& reactor) : reactor_(reactor) {}

  /// The program is known: chooses an owner, opens the ends, and starts the command, or says why not.
  virtual void start_command(const std::shared_ptr<Range>& range) = 0;
  /// First of all on the launch thread.
  virtual void on_thread() {}

  /// The command's ends of its streams, and ours of those that are collected or fed.
  bool open_ends(RangeRequest& request, GroupLaunch& ends, core::Failure& failure);
  void fail(const std::shared_ptr<Range>& range, core::Failure failure);
  /// Once: tells the host that `auto` proves less here than it could.
  void warn(core::FactSink& sink, core::Owner owner, const std::string& because);

  Reactor& reactor_;

 private:
  static void* main(void* self);
  void run();
  bool resolve(RangeRequest& request, core::Failure& failure);
  static bool would_fail(const RangeRequest& request, core::Failure& failure);

  bool warned_ = false;
  pthread_t thread_{};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool stopping_ = false, stopped_ = false;
};

/// The one of this platform.
std::unique_ptr<Launcher> make_launcher(Reactor& reactor, WardenFiles files, ManagerAddress manager, core::StringPool& strings);

}  // namespace holdfast::posix
