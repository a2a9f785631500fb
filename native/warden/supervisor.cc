#include "supervisor.h"

#include "channel.h"
#include "descriptors.h"
#include "sweep.h"
#include "sys.h"
#include "table.h"

namespace holdfast::warden {

namespace {

constexpr int kLifelineFd = kChannelFd + 1;
constexpr int kProcFd = kLifelineFd + 1;
constexpr int kLaunchFd = kProcFd + 1;
constexpr uint64_t kShortestPauseUs = 200;
constexpr uint64_t kLongestPauseUs = 1000000;

constinit MemberList g_members = {};

class Supervisor {
 public:
  explicit Supervisor(const Supervision& supervision) : command_(supervision.command) {
    facts_ = Facts{};
    facts_.range = supervision.range;
    facts_.members = &g_members;
    self_ = static_cast<int>(sys::getpid());
  }

  [[noreturn]] void run(const Supervision& supervision) {
    LaunchFds fds = supervision.fds;
    if (!arrange(fds, supervision.lifeline)) finish();
    sys::prctl(PR_SET_CHILD_SUBREAPER, reinterpret_cast<void*>(1));
    const sys::SignalSet child = sys::signal_bit(SIGCHLD);
    const long signals = sys::call(__NR_signalfd4, -1, &child, sizeof child, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0) fail(LaunchStep::descriptors, signals);
    signals_ = static_cast<int>(signals);

    const Target target = start_target(fds, supervision.block_size, -1, supervision.own_descriptors);
    fds.channel = -1;
    fds.close();
    if (target.pid == 0) fail(target.failure.step, -target.failure.error);
    facts_.pid = target.pid;
    *command_ = target.pid;
    status_fd_ = target.status_fd;
    scratch_ = target.scratch;
    for (;;) turn();
  }

 private:
  /// Keeps the channel, the lifeline, /proc and the descriptors of this launch, at fixed places, and nothing else: what a
  /// supervisor holds open by accident would keep other ranges' pipes, or the warden's lifeline, alive.
  bool arrange(LaunchFds& fds, int lifeline) {
    channel_ = fds.channel;
    Placement plan[8] = {{fds.channel, kChannelFd, true},
                         {lifeline, kLifelineFd, true},
                         {fds.block, kLaunchFd, true},
                         {fds.stdio[0], kLaunchFd + 1, true},
                         {fds.stdio[1], kLaunchFd + 2, true},
                         {fds.stdio[2], kLaunchFd + 3, true},
                         {fds.control, kLaunchFd + 4, true}};
    const bool has_control = fds.control >= 0;
    const int last = kLaunchFd + (has_control ? 4 : 3);
    int count = has_control ? 7 : 6;
    const bool has_proc = proc_fd() >= 0;
    if (has_proc) plan[count++] = {proc_fd(), kProcFd, true};
    const int placed = place(plan, count);
    if (placed < 0) {
      facts_.failure = {LaunchStep::descriptors, -placed};
      facts_.owed |= Facts::kFailed;
      facts_.tell(channel_);
      return false;
    }
    close_from(last + 1);
    if (has_proc) {
      move_proc_fd(kProcFd);
    } else {
      sys::close(kProcFd);  // whatever was there in the warden
    }
    channel_ = kChannelFd;
    fds.block = kLaunchFd;
    for (int i = 0; i < 3; ++i) fds.stdio[i] = kLaunchFd + 1 + i;
    fds.control = has_control ? kLaunchFd + 4 : -1;
    return true;
  }

  [[noreturn]] void fail(LaunchStep step, long error) {
    facts_.failure = {step, static_cast<int32_t>(-error)};
    facts_.owed |= Facts::kFailed;
    over_ = true;
    for (;;) turn();
  }

  [[noreturn]] void finish() { sys::exit(0); }

  void turn() {
    const bool told = facts_.tell(channel_);
    if (over_ && told) finish();
    struct pollfd polled[4] = {{channel_, static_cast<short>(told ? POLLIN : POLLIN | POLLOUT), 0},
                               {lifeline_, POLLIN, 0},
                               {signals_, POLLIN, 0},
                               {status_fd_, POLLIN, 0}};
    struct __kernel_timespec pause = {0, 0};
    if (due_us_ != 0) {
      const uint64_t now = sys::now_us();
      const uint64_t left = due_us_ > now ? due_us_ - now : 0;
      pause = {static_cast<long>(left / 1000000), static_cast<long>(left % 1000000 * 1000)};
    }
    sys::call(__NR_ppoll, polled, 4, due_us_ != 0 ? &pause : nullptr, nullptr, 0);
    if ((polled[3].revents & (POLLIN | POLLHUP | POLLERR)) != 0) look_at_launch();
    if ((polled[2].revents & POLLIN) != 0) drain_signals();
    reap();
    if ((polled[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) listen();
    // Nothing is ever written to the lifeline: readable means that the warden is gone.
    if (polled[1].revents != 0) {
      lifeline_ = -1;
      begin_kill();
    }
    if (due_us_ != 0 && sys::now_us() >= due_us_) kill_once();
  }

  void listen() {
    for (;;) {
      static Incoming message;
      const Received received = receive(channel_, message);
      if (received == Received::nothing) return;
      if (received == Received::malformed) continue;
      if (received == Received::gone) {
        channel_ = -1;
        begin_kill();
        return;
      }
      message.close_fds();
      if (over_ || message.header.range != facts_.range) continue;
      if (message.header.kind == Kind::kill) begin_kill();
      if (message.header.kind == Kind::term && ending_ == Ending::none) {
        ending_ = Ending::termed;
        const int self = self_;
        term_descendants(self, facts_, [self](PidSet& set) { find(self, set); });
        signal_command(SIGTERM);
      }
      if (message.header.kind == Kind::ping) {
        Header pong = {Kind::pong, 0, sizeof(Header), facts_.range};
        send(channel_, &pong, sizeof pong);
      }
    }
  }

  static void find(int self, PidSet& set) {
    add_children(self, set);
    add_descendants(set);
  }

  /// The command itself is reached even where /proc is not there to show anybody. It is not reaped: its number is its.
  void signal_command(int signal) {
    if (*command_ > 1 && !g_seen.has(*command_)) sys::kill(*command_, signal);
  }

  void begin_kill() {
    if (over_ || ending_ == Ending::killing) return;
    ending_ = Ending::killing;
    pause_us_ = kShortestPauseUs;
    kill_once();
  }

  /// One sweep, then a pause that doubles while nothing dies (members that may not be signalled, uninterruptible
  /// sleep) and starts short again with every death.
  void kill_once() {
    if (over_) {
      due_us_ = 0;
      return;
    }
    const int self = self_;
    kill_descendants(self, &facts_, [self](PidSet& set) { find(self, set); });
    signal_command(SIGKILL);
    reap();
    if (over_) return;
    due_us_ = sys::now_us() + pause_us_;
    pause_us_ = pause_us_ * 2 < kLongestPauseUs ? pause_us_ * 2 : kLongestPauseUs;
  }

  void look_at_launch() {
    if (status_fd_ < 0) return;
    const LaunchStatus status = read_status(status_fd_, facts_.failure);
    if (status == LaunchStatus::pending) return;
    if (status == LaunchStatus::started) {
      facts_.owed |= Facts::kStarted;
      give_scratch(scratch_);
    }
    close_if_open(status_fd_);
  }

  void drain_signals() {
    struct signalfd_siginfo info[4];
    while (sys::read(signals_, info, sizeof info) > 0) {
    }
  }

  void reap() {
    if (over_) return;
    for (;;) {
      int status;
      struct rusage usage;
      const long pid = sys::wait(-1, &status, WNOHANG | __WALL, &usage);
      if (pid == -EINTR) continue;
      if (pid == 0) return;
      if (pid < 0) return empty();  // ECHILD: nothing that ever descended from the command is left
      pause_us_ = kShortestPauseUs;
      if (pid != facts_.pid || *command_ == 0) continue;
      *command_ = 0;
      give_scratch(scratch_);
      look_at_launch();
      if (!facts_.failed()) facts_.exit(status, usage);
    }
  }

  void empty() {
    over_ = true;
    due_us_ = 0;
    if (facts_.failed()) {
      facts_.owed |= Facts::kFailed;
      return;
    }
    struct rusage usage;
    if (sys::call(__NR_getrusage, RUSAGE_CHILDREN, &usage) == 0) {
      facts_.has_usage = true;
      facts_.range_user_us = microseconds(usage.ru_utime);
      facts_.range_system_us = microseconds(usage.ru_stime);
    }
    facts_.proven = true;
    facts_.owed |= Facts::kEmpty;
  }

  Facts facts_;
  int32_t* command_;
  int self_;
  int channel_ = -1;
  int lifeline_ = kLifelineFd;
  int signals_ = -1;
  int status_fd_ = -1;
  Scratch scratch_;
  Ending ending_ = Ending::none;
  bool over_ = false;
  uint64_t due_us_ = 0;
  uint64_t pause_us_ = kShortestPauseUs;
};

}  // namespace

void supervise(const Supervision& supervision) {
  Supervisor supervisor(supervision);
  supervisor.run(supervision);
}

}  // namespace holdfast::warden
