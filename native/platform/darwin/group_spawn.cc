#include "platform/posix/group_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/posix/arguments.h"
#include "platform/posix/lookup.h"

namespace holdfast::posix {

namespace {

/// What posix_spawn is told. Everything is allocated here, so that the child of a fork can use it.
class Plan {
 public:
  Plan() {
    if ((error_ = posix_spawn_file_actions_init(&actions_)) != 0) return;
    if ((error_ = posix_spawnattr_init(&attributes_)) != 0) {
      posix_spawn_file_actions_destroy(&actions_);
      return;
    }
    made_ = true;
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    if (!made_) return;
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }

  /// 0 or an errno.
  int make(const std::string& cwd, const Fd (&stdio)[3], const Fd& control, short flags) {
    if (!made_) return error_;
    sigset_t all, none;
    sigfillset(&all);
    // Their dispositions cannot be set, and some systems refuse the whole list for it.
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    sigemptyset(&none);
    also(posix_spawnattr_setsigdefault(&attributes_, &all));
    also(posix_spawnattr_setsigmask(&attributes_, &none));
    // Nothing of the host beyond the descriptors that are named below.
    also(posix_spawnattr_setflags(&attributes_, static_cast<short>(flags | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                                                   POSIX_SPAWN_CLOEXEC_DEFAULT)));
    also(posix_spawn_file_actions_addchdir_np(&actions_, cwd.c_str()));
    for (int i = 0; i < 3; i++) pass(stdio[i], i);
    if (control) pass(control, core::kControlFd);
    return error_;
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  void also(int result) {
    if (error_ == 0) error_ = result;
  }

  // Sources are moved out of the way of their targets.
  void pass(const Fd& source, int target) {
    Fd& high = high_[target < 3 ? target : 3];
    high.reset(::fcntl(source.get(), F_DUPFD_CLOEXEC, 16));
    also(high ? posix_spawn_file_actions_adddup2(&actions_, high.get(), target) : errno);
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
  Fd high_[4];
  bool made_ = false;
  int error_ = 0;
};

/// A program, and the shell for the case that it is a script without "#!". Made before a fork.
class Program {
 public:
  explicit Program(LaunchSpec& launch) : itself_(launch), by_shell_(launch) { by_shell_.run_by_shell(); }

  /// Allocates nothing. 0, or an errno.
  int start(pid_t* pid, const Plan& plan, bool may_be_script) const {
    const int error = start(pid, plan, itself_);
    return error == ENOEXEC && may_be_script ? start(pid, plan, by_shell_) : error;
  }

 private:
  static int start(pid_t* pid, const Plan& plan, const Arguments& arguments) {
    return posix_spawn(pid, arguments.program(), plan.actions(), plan.attributes(), arguments.argv(), arguments.envp());
  }

  Arguments itself_, by_shell_;
};

// The kernel makes the new session after it has opened the files of the list, so none of them becomes the controlling
// terminal; and a terminal has to be taken by a process of its session. So a fork makes the session and takes the terminal,
// and becomes the program by POSIX_SPAWN_SETEXEC. Between fork and exec it calls nothing that allocates or locks.
[[noreturn]] void become(const Program& program, const Plan& plan, bool may_be_script, int slave, int report) {
  int error = ::setsid() < 0 ? errno : 0;
  if (error == 0 && ::ioctl(slave, TIOCSCTTY, 0) != 0) error = errno;
  pid_t self;
  if (error == 0) error = program.start(&self, plan, may_be_script);
  ssize_t n;
  do n = ::write(report, &error, sizeof error);
  while (n < 0 && errno == EINTR);
  ::_exit(127);
}

int fork_on_terminal(const Program& program, const Plan& plan, bool may_be_script, const Fd& slave, pid_t& pid) {
  Pipe report;  // its write end is gone with the exec
  if (const int error = make_pipe(report)) return error;
  pid = ::fork();
  if (pid < 0) return errno;
  if (pid == 0) become(program, plan, may_be_script, slave.get(), report.write.get());
  report.write.reset();
  int error = 0;
  ssize_t n;
  do n = ::read(report.read.get(), &error, sizeof error);
  while (n < 0 && errno == EINTR);
  if (n != static_cast<ssize_t>(sizeof error)) return 0;
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return error;
}

}  // namespace

int look_at_directory(const std::string& cwd, Fd&) { return enterable(cwd.c_str()); }

int spawn_leader(RangeRequest& request, const Fd&, const Fd (&stdio)[3], const Fd& control, pid_t& pid) {
  LaunchSpec& launch = request.launch;
  // Whether a relative program begins at the old or the new directory is nowhere promised.
  if (launch.program.front() != '/') launch.program = launch.cwd + "/" + launch.program;
  Plan plan;
  const short flags = request.terminal ? POSIX_SPAWN_SETEXEC : POSIX_SPAWN_SETSID;
  if (const int error = plan.make(launch.cwd, stdio, control, flags)) return error;
  const Program program(launch);
  const bool may_be_script = is_script(AT_FDCWD, launch.program.c_str());
  return request.terminal ? fork_on_terminal(program, plan, may_be_script, stdio[0], pid) : program.start(&pid, plan, may_be_script);
}

}  // namespace holdfast::posix
