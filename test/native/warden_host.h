// A host for tests: starts the real warden over a socketpair and speaks its protocol, with a deadline on every wait.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../../native/warden/protocol.h"

namespace holdfast::test {

using namespace holdfast::warden;

struct Command {
  std::vector<std::string> argv;
  std::string program;  // argv[0] when empty
  std::string cwd = "/";
  std::vector<std::string> env = {"PATH=/usr/bin:/bin"};
  Hold hold = Hold::subreaper;
  bool control = false;
  HostState state = {};
  bool block_in_pipe = false;
  bool raw_block = false;  // `block` as it is, not made from the fields above
  std::string block;
};

/// One range as its host sees it.
struct Run {
  uint64_t range = 0;
  int channel = -1;  // of the supervisor
  int out = -1;      // read end of stdout and stderr
  int control = -1;
  int pid = 0;
  bool started = false, failed = false, exited = false, empty = false, channel_closed = false;
  FailedEvent failure = {};
  ExitedEvent exit = {};
  EmptyEvent end = {};
  std::vector<MemberEvent> strays;
  std::vector<MemberEvent> escaped;

  bool over() const { return failed || empty; }
  int exit_code() const;  // -1 when it was ended by a signal
  int signal() const;     // 0 when it was not
};

/// A directory for leaves below the cgroup of this process; removed with the object.
class CgroupDirectory {
 public:
  CgroupDirectory();
  ~CgroupDirectory();
  bool ok() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int fd_ = -1;
};

/// What the kernel of the warden can do.
enum class Kernel {
  this_one,
  old,  // as before Linux 5.3: no clone3, no pidfds, no close_range (a seccomp filter answers ENOSYS)
};

class Host {
 public:
  explicit Host(Kernel kernel = Kernel::this_one);
  ~Host();
  Host(const Host&) = delete;

  int pid() const { return pid_; }
  const ReadyEvent& ready() const { return ready_; }
  /// Adopts a fresh subtree for Hold::cgroup. False where no cgroup v2 directory can be written.
  bool adopt();
  const SubtreeEvent& subtree() const { return subtree_; }
  const std::string& subtree_path() const { return directory_->path(); }

  Run& start(const Command& command);
  void term(Run& run) { ask(run, Kind::term); }
  void kill(Run& run) { ask(run, Kind::kill); }
  void ask_warden(Run& run, Kind kind);
  bool ping(int ms = 30000);
  void send_raw(const void* bytes, size_t size);

  /// Reads events until `done` says so; false after `ms` milliseconds.
  bool wait(const std::function<bool()>& done, int ms = 30000);
  /// Closes the channel and says whether the warden ended with 0 within `ms`.
  bool close_and_wait(int ms = 30000);
  /// As if the host was killed: its ends of all sockets are gone.
  void die();
  bool warden_ended(int ms);
  bool gone() const { return gone_; }
  /// Escaped processes of which the warden could not tell the range.
  const std::vector<MemberEvent>& unattributed() const { return unattributed_; }

 private:
  void ask(Run& run, Kind kind);
  void pump(int ms);
  void take(int fd, Run* run);

  int channel_ = -1;
  int pid_ = 0;
  int exit_status_ = -1;
  bool ready_seen_ = false, subtree_seen_ = false, gone_ = false;
  unsigned pongs_ = 0;
  ReadyEvent ready_ = {};
  SubtreeEvent subtree_ = {};
  std::unique_ptr<CgroupDirectory> directory_;
  std::vector<MemberEvent> unattributed_;
  std::map<uint64_t, std::unique_ptr<Run>> runs_;
  uint64_t next_ = 1;
};

/// The launch block of a command, as a host makes it.
std::string make_block(const Command& command);
/// The directory of the cgroup in which this process is, "" without cgroup v2.
std::string cgroup_of_this_process();
/// All of a pipe until its end, at most `ms` milliseconds.
std::string read_all(int fd, int ms = 30000);
/// Whether a process lives (zombies do not).
bool alive(int pid);
/// One letter as in /proc/<pid>/stat, X when there is no such process.
char state_of(int pid);
int parent_of(int pid);
/// Pids whose environment contains NAME=value; for "nothing is left". With a name: only those that are called so, which
/// leaves out shells that are still on their way to somewhere else.
std::vector<int> marked(const std::string& entry, const std::string& name = "");
bool eventually(const std::function<bool()>& done, int ms = 30000);

}  // namespace holdfast::test
