#include "group_owner.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <map>

#include "warden/protocol.h"
#include "inspect.h"
#include "threads.h"

namespace holdfast::linux_os {

namespace {

constexpr std::uint64_t kFirstPollUs = 2000;
constexpr std::uint64_t kSlowestPollUs = 100 * 1000;

int open_pidfd(pid_t pid) {
#ifdef SYS_pidfd_open
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));  // Linux 5.3; close-on-exec by itself
#else
  (void)pid;
  errno = ENOSYS;
  return -1;
#endif
}

// Leaders that are not reaped yet, so that their numbers cannot belong to anybody else.
std::mutex leaders_mutex;
std::map<pid_t, const core::FactSink*> leaders;

}  // namespace

class GroupOwner : public Holder, public std::enable_shared_from_this<GroupOwner> {
 public:
  GroupOwner(Reactor& reactor, std::shared_ptr<Range> range) : reactor_(reactor), range_(std::move(range)) {}

  /// Before the range may ask for anything.
  void hold(pid_t leader) { leader_.store(leader, std::memory_order_release); }
  void run() {
    pidfd_.reset(open_pidfd(leader_));
    if (pidfd_) {
      watch_ = reactor_.watch(pidfd_.get(), EPOLLIN, [self = shared_from_this()](std::uint32_t) { self->check(); });
    }
    // Without pidfds (before Linux 5.3) the exit is found by asking.
    if (watch_ == 0) schedule();
  }
  void fail() { over_ = true; }

  void term() override { signal_all(SIGTERM, true); }
  void kill() override {
    signal_all(SIGKILL, false);
    poll_us_ = kFirstPollUs;
    if (has_exited_) schedule();
  }
  void release() override {
    over_ = true;
    reactor_.unwatch(std::exchange(watch_, 0));
    reactor_.cancel(std::exchange(timer_, 0));
    range_.reset();
  }
  std::vector<pid_t> members() const override {
    std::vector<pid_t> pids;
    const pid_t leader = leader_.load(std::memory_order_acquire);
    if (leader <= 1) return pids;
    std::vector<ProcessInfo> found;
    session_members(leader, found);
    for (const ProcessInfo& info : found) pids.push_back(info.pid);
    return pids;
  }

 private:
  void schedule() {
    reactor_.cancel(timer_);
    timer_ = reactor_.at(now_us() + poll_us_, [self = shared_from_this()] {
      self->timer_ = 0;
      self->check();
    });
    poll_us_ = std::min(poll_us_ * 2, kSlowestPollUs);
  }

  // The leader is looked at without being reaped: as long as it is a zombie, its number, which is also the number of its
  // group and session, cannot be given to a stranger.
  void check() {
    if (over_) return;
    const auto self = shared_from_this();
    if (!has_exited_) {
      siginfo_t info{};
      rusage usage{};
      const long result = ::syscall(SYS_waitid, P_PID, leader_.load(), &info, WEXITED | WNOWAIT | WNOHANG, &usage);
      if (result != 0 && errno != EINTR) {
        // ECHILD: the host ignores SIGCHLD, or somebody else's waitpid(-1) has taken the status.
        has_exited_ = reaped_ = true;
        forget_leader();
        range_->status_lost("the command's exit status was taken by another part of this process");
      } else if (info.si_pid == 0) {
        return schedule_without_pidfd();
      } else {
        has_exited_ = true;
        reactor_.unwatch(std::exchange(watch_, 0));
        poll_us_ = kFirstPollUs;
        const int status = info.si_code == CLD_EXITED ? (info.si_status & 0xff) << 8 : info.si_status & 0x7f;
        const auto us = [](const timeval& t) { return static_cast<std::uint64_t>(t.tv_sec) * 1000000u + static_cast<std::uint64_t>(t.tv_usec); };
        // posix_spawn shares the host's memory until exec, and ru_maxrss remembers it: no figure is better than that one.
        range_->exited(leader_, status, {us(usage.ru_utime), us(usage.ru_stime), 0});
      }
    }
    if (over_) return;
    std::vector<ProcessInfo> members;
    if (!session_members(leader_, members) || !members.empty() || any_tracked()) return schedule();
    reap();
    range_->emptied(false, 0, std::nullopt);
  }

  void schedule_without_pidfd() {
    if (watch_ == 0) schedule();
  }

  void reap() {
    if (std::exchange(reaped_, true)) return;
    // Out of the list first: kill_groups() must not see a number that is free.
    forget_leader();
    while (::waitpid(leader_, nullptr, WNOHANG) < 0 && errno == EINTR) {
    }
  }
  void forget_leader() {
    std::lock_guard lock(leaders_mutex);
    leaders.erase(leader_);
  }

  void signal_all(int signal, bool wake_stopped) {
    if (over_ || reaped_ || leader_ <= 1) return;
    std::vector<ProcessInfo> members;
    session_members(leader_, members);
    track();
    for (const ProcessInfo& gone_away : tracked_) members.push_back(gone_away);
    ::kill(-leader_, signal);
    for (const ProcessInfo& member : members) {
      if (member.pid != leader_) range_->member(member.pid, member.argv0, signal == SIGKILL ? 'K' : 'T', false);
      // Job control shells put their jobs into groups of their own inside the session.
      if (member.group != leader_) signal_one(member, signal);
      if (wake_stopped && member.state == 'T') signal_one(member, SIGCONT);
    }
  }

  // Descendants in sessions of their own, as long as the leader lives and the chain of parents leads to them; remembered
  // by their start time.
  void track() {
    if (has_exited_ || !proc_is_ours()) return;
    for (const pid_t pid : descendants(leader_)) {
      ProcessInfo info;
      if (!read_stat(pid, info) || is_zombie(info) || info.session == leader_) continue;
      const auto same = [&info](const ProcessInfo& known) { return known.pid == info.pid && known.start_time == info.start_time; };
      if (std::none_of(tracked_.begin(), tracked_.end(), same)) tracked_.push_back(std::move(info));
    }
  }
  bool any_tracked() {
    std::erase_if(tracked_, [](const ProcessInfo& known) {
      ProcessInfo now;
      return !read_stat(known.pid, now) || now.start_time != known.start_time || is_zombie(now);
    });
    return !tracked_.empty();
  }

  // A member is no child of ours: its number is only as good as its start time, looked at again behind a pidfd.
  void signal_one(const ProcessInfo& member, int signal) {
    if (member.pid <= 1) return;
    posix::Fd handle(open_pidfd(member.pid));
    ProcessInfo now;
    if (!read_stat(member.pid, now) || now.start_time != member.start_time) return;
#ifdef SYS_pidfd_send_signal
    if (handle) {
      ::syscall(SYS_pidfd_send_signal, handle.get(), signal, nullptr, 0);
      return;
    }
#endif
    ::kill(member.pid, signal);
  }

  Reactor& reactor_;
  std::shared_ptr<Range> range_;
  std::atomic<pid_t> leader_{0};
  posix::Fd pidfd_;
  Reactor::WatchId watch_ = 0;
  Reactor::TimerId timer_ = 0;
  std::uint64_t poll_us_ = kFirstPollUs;
  std::vector<ProcessInfo> tracked_;
  bool has_exited_ = false, reaped_ = false, over_ = false;
};

namespace {

std::vector<char*> pointers(std::string& strings) {
  std::vector<char*> list;
  for (std::size_t at = 0; at < strings.size(); at = strings.find('\0', at) + 1) list.push_back(strings.data() + at);
  list.push_back(nullptr);
  return list;
}

using FileActions = posix_spawn_file_actions_t;

// posix_spawn has one errno for everything, so the working directory is opened first and its failure told apart.
// Entering it: addfchdir_np is newer (2.29) than the oldest glibc that we run on; without it this thread, which nobody
// else shares, leaves the process's working directory and changes its own.
int enter_directory(FileActions& actions, int directory, int umask) {
  using AddFchdir = int (*)(FileActions*, int);
  static const auto add_fchdir = reinterpret_cast<AddFchdir>(::dlsym(RTLD_DEFAULT, "posix_spawn_file_actions_addfchdir_np"));
  if (add_fchdir != nullptr) return add_fchdir(&actions, directory);
  static const int unshared = ::unshare(CLONE_FS) == 0 ? 0 : errno;
  if (unshared != 0) return unshared;
  if (umask >= 0) ::umask(static_cast<mode_t>(umask));  // the host's was parted with as well
  return ::fchdir(directory) == 0 ? 0 : errno;
}

// Nothing of the host beyond what was asked for. addclosefrom_np is glibc 2.34; without it the open descriptors that
// are not close-on-exec are closed one by one (closing one that is not open is no error in a file action).
int close_others(FileActions& actions, bool control) {
  using AddCloseFrom = int (*)(FileActions*, int);
  static const auto add_close_from = reinterpret_cast<AddCloseFrom>(::dlsym(RTLD_DEFAULT, "posix_spawn_file_actions_addclosefrom_np"));
  const int first = control ? warden::kControlFd + 1 : 3;
  for (int fd = 3; fd < first - 1; fd++) {
    if (const int error = posix_spawn_file_actions_addclose(&actions, fd)) return error;
  }
  if (add_close_from != nullptr) return add_close_from(&actions, first);
  for (int fd = first; fd < 1024; fd++) {
    const int flags = ::fcntl(fd, F_GETFD);
    if (flags < 0 || (flags & FD_CLOEXEC) != 0) continue;
    if (const int error = posix_spawn_file_actions_addclose(&actions, fd)) return error;
  }
  return 0;
}

// Priority and processors belong to a thread, and a child gets those of the thread that starts it. The host's are those of
// its main thread, as they are now; this thread has the ones of its start. Where it may not follow (a lower nice value),
// the child could not have them either.
void follow_main_thread() {
  const pid_t self = ::getpid();
  errno = 0;
  const int nice = ::getpriority(PRIO_PROCESS, static_cast<id_t>(self));
  if (errno == 0) ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), nice);
  alignas(unsigned long) std::uint8_t processors[128];
  const long size = ::syscall(SYS_sched_getaffinity, self, sizeof processors, processors);
  if (size > 0) ::syscall(SYS_sched_setaffinity, 0, size, processors);
}

int spawn_leader(RangeRequest& request, const GroupLaunch& launch, int directory, pid_t& pid) {
  FileActions actions;
  posix_spawnattr_t attributes;
  if (const int error = posix_spawn_file_actions_init(&actions)) return error;
  if (const int error = posix_spawnattr_init(&attributes)) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  int error = 0;
  const auto also = [&error](int result) {
    if (error == 0) error = result;
  };
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  also(posix_spawnattr_setsigdefault(&attributes, &all));
  also(posix_spawnattr_setsigmask(&attributes, &none));
  short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID;
  also(keep_host_policy(attributes, flags));
  also(posix_spawnattr_setflags(&attributes, flags));

  // Sources are moved out of the way of their targets; dup2 onto itself would keep close-on-exec.
  posix::Fd high[4];
  const posix::Fd* sources[4] = {&launch.stdio[0], &launch.stdio[1], &launch.stdio[2], &launch.control};
  const int targets[4] = {0, 1, 2, warden::kControlFd};
  also(enter_directory(actions, directory, request.umask));
  // The first terminal that the leader of a new session opens becomes its controlling one; the session comes before the
  // file actions, in glibc and in musl.
  const std::string terminal = request.terminal ? request.terminal->path() : std::string();
  if (request.terminal) also(posix_spawn_file_actions_addopen(&actions, 0, terminal.c_str(), O_RDWR, 0));
  for (int i = 0; i < 4; i++) {
    if (!*sources[i]) continue;
    if (request.terminal && i <= 2) {
      if (i > 0) also(posix_spawn_file_actions_adddup2(&actions, 0, targets[i]));
      continue;
    }
    high[i].reset(::fcntl(sources[i]->get(), F_DUPFD_CLOEXEC, 16));
    if (!high[i]) {
      also(errno);
      continue;
    }
    also(posix_spawn_file_actions_adddup2(&actions, high[i].get(), targets[i]));
  }
  also(close_others(actions, static_cast<bool>(launch.control)));

  follow_main_thread();
  std::vector<char*> argv = pointers(request.launch.argv);
  std::vector<char*> envp = pointers(request.launch.env);
  if (error == 0) error = posix_spawn(&pid, request.launch.program.c_str(), &actions, &attributes, argv.data(), envp.data());
  if (error == ENOEXEC) {
    // A script without "#!" runs through the shell, as execvp does; anything with NUL in its first block is no script.
    char head[256];
    posix::Fd program(::openat(directory, request.launch.program.c_str(), O_RDONLY | O_CLOEXEC));
    const ssize_t n = program ? ::read(program.get(), head, sizeof head) : -1;
    if (n >= 0 && memchr(head, 0, static_cast<std::size_t>(n)) == nullptr) {
      static char shell[] = "/bin/sh";
      argv[0] = request.launch.program.data();
      argv.insert(argv.begin(), shell);
      error = posix_spawn(&pid, shell, &actions, &attributes, argv.data(), envp.data());
    }
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

void launch_group(Reactor& reactor, const std::shared_ptr<Range>& range, GroupLaunch launch) {
  RangeRequest& request = range->request();
  const auto owner = std::make_shared<GroupOwner>(reactor, range);
  const auto ends = std::make_shared<GroupLaunch>();
  for (int i = 0; i < 2; i++) ends->outputs[i] = std::move(launch.outputs[i]);
  ends->input = std::move(launch.input);

  core::Failure failure{.error = 0, .code = {}, .stage = core::Stage::launch, .syscall = "spawn", .subject = request.launch.program};
  posix::Fd directory(::open(request.launch.cwd.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory && errno == EACCES) directory.reset(::open(request.launch.cwd.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  // One that can be read and not entered opens all the same, and would fail where the program is blamed for it.
  const bool may_enter = directory && ::faccessat(directory.get(), ".", X_OK, AT_EACCESS) == 0;
  pid_t pid = -1;
  if (!may_enter) {
    failure.error = errno;
    failure.syscall = "chdir";
    failure.subject = request.launch.cwd;
  } else {
    // The list is locked across the launch: kill_groups() at the host's exit sees the leader or comes before it.
    std::lock_guard lock(leaders_mutex);
    failure.error = spawn_leader(request, launch, directory.get(), pid);
    if (failure.error == 0) leaders.emplace(pid, range->sink.get());
  }
  reactor.post([&reactor, range, owner, ends, failure, pid] {
    if (failure.error == 0) owner->hold(pid);
    range->adopt(reactor, core::Owner::group, owner, ends->outputs, std::move(ends->input));
    if (failure.error != 0) {
      owner->fail();
      return range->failed(failure);
    }
    range->started(pid);
    owner->run();
  });
}

void kill_groups(const core::FactSink* sink) {
  std::lock_guard lock(leaders_mutex);
  for (const auto& [pid, owner] : leaders) {
    if (owner == sink && pid > 1) ::kill(-pid, SIGKILL);
  }
}

}  // namespace holdfast::linux_os
