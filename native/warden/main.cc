// The warden: takes requests from the host, owns what it starts for it, and outlives it just long enough to end it all.
#include "main.h"

#include "descriptors.h"
#include "launch.h"
#include "procfs.h"
#include "warden.h"

namespace holdfast::warden {

namespace {

constexpr uint64_t kRemovalMs = 5000;

// Zero at the start (nobody runs constructors here) and touched as it is used.
constinit Warden g_warden = {};

void reset_signals() {
  sys::mask_signals(~sys::SignalSet{0});
  // What the host ignores (Node ignores SIGPIPE) would be ignored by every command: dispositions outlive exec.
  struct sigaction defaults = {};
  for (int number = 1; number <= sys::kSignals; ++number) {
    if (number == SIGKILL || number == SIGSTOP) continue;
    sys::call(__NR_rt_sigaction, number, &defaults, nullptr, sizeof(sys::SignalSet));
  }
}

/// As many descriptors as allowed: a thousand ranges need more than the usual 1024. Children get the old limit back.
void raise_descriptor_limit(Warden& warden) {
  const long got = sys::call(__NR_prlimit64, 0, RLIMIT_NOFILE, nullptr, &warden.own_descriptors);
  if (got < 0) return;
  const struct rlimit64 raised = {warden.own_descriptors.rlim_max, warden.own_descriptors.rlim_max};
  warden.has_own_descriptors = sys::call(__NR_prlimit64, 0, RLIMIT_NOFILE, &raised, nullptr) == 0;
}

/// Becomes the parent of orphans, and proves it: a child leaves a session of its own and a grandchild, and ends; the
/// grandchild must come back to us. (qemu's user mode takes the prctl and does nothing.) 0, or -errno of the fork.
int become_subreaper(bool& proven) {
  proven = false;
  int set = 0;
  sys::prctl(PR_SET_CHILD_SUBREAPER, reinterpret_cast<void*>(1));
  if (sys::prctl(PR_GET_CHILD_SUBREAPER, &set) != 0 || set != 1) return 0;
  bool enter;
  const long child = fork_into(-1, enter);
  if (child == 0) {
    sys::call(__NR_setsid);
    const long grandchild = fork_into(-1, enter);
    sys::exit(grandchild < 0 ? static_cast<int>(-grandchild) : 0);
  }
  if (child < 0) return static_cast<int>(child);
  int error = 0;
  for (;;) {
    int status;
    const long pid = sys::wait(-1, &status, __WALL, nullptr);
    if (pid == -EINTR) continue;
    if (pid < 0) return error;  // no more children: everybody who came was counted
    if (pid != child) proven = true;
    else if (sys::exited(status) && sys::exit_code(status) != 0) error = -sys::exit_code(status);
  }
}

bool start(Warden& warden) {
  reset_signals();
  if (sys::call(__NR_fcntl, kChannelFd, F_SETFD, FD_CLOEXEC) < 0) return false;
  sys::call(__NR_setsid);  // fails only where we lead a group already, which is as good
  sys::call(__NR_chdir, "/");
  null_standard_streams();
  close_from(kChannelFd + 1);
  raise_descriptor_limit(warden);
  proc_fd();
  sys::prctl(PR_SET_NAME, "holdfast");
  warden.self = static_cast<int>(sys::getpid());
  warden.channel = kChannelFd;

  const sys::SignalSet child = sys::signal_bit(SIGCHLD);
  warden.signals = static_cast<int>(sys::call(__NR_signalfd4, -1, &child, sizeof child, SFD_CLOEXEC | SFD_NONBLOCK));
  warden.epoll = static_cast<int>(sys::call(__NR_epoll_create1, EPOLL_CLOEXEC));
  if (warden.signals < 0 || warden.epoll < 0 || sys::pipe(warden.lifeline, 0) < 0 || !warden.table.init()) return false;
  if (!watch(warden, warden.signals, EPOLLIN, event_data(Source::signals))) return false;
  if (!watch(warden, warden.channel, EPOLLIN, event_data(Source::channel))) return false;
  warden.reads = true;

  ReadyEvent& ready = warden.ready;
  ready.version = kProtocolVersion;
  ready.pid = warden.self;
  bool subreaper;
  ready.subreap_error = -become_subreaper(subreaper);
  ready.can_subreap = subreaper ? 1 : 0;
  ready.has_proc = proc_is_ours() ? 1 : 0;
  ready.has_clone3 = has_clone3() ? 1 : 0;
  ready.has_children = has_children_files() ? 1 : 0;
  warden.ready_owed = true;
  return true;
}

void adopt(Warden& warden, const SubtreeRequest& request, Incoming& message) {
  const int index = request.hold == Hold::cgroup ? 0 : request.hold == Hold::scope ? 1 : -1;
  if (index < 0) return message.close_fds();
  Subtree& subtree = warden.subtrees[index];
  SubtreeEvent& answer = warden.answers[index];
  answer = {{}, request.hold, ProbeStep::open, 0, 0};
  warden.answer_owed[index] = true;
  if (subtree.adopted) {
    answer.error = EALREADY;  // ranges may live in it: it stays
  } else if (message.fd_count < 1) {
    answer.error = EMFILE;
  } else if (request.path_length >= sizeof request.path) {
    answer.error = ENAMETOOLONG;
  } else {
    probe_subtree(message.fds[0], subtree, answer.step, answer.error);
    answer.has_kill = subtree.has_kill ? 1 : 0;
    __builtin_memcpy(subtree.path(), request.path, request.path_length);
    subtree.path()[request.path_length] = 0;
    if (subtree.adopted) message.fd_count = 0;  // kept
  }
  message.close_fds();
}

void obey(Warden& warden, Incoming& message) {
  switch (message.header.kind) {
    case Kind::adopt_subtree:
      if (const auto* request = message.as<SubtreeRequest>()) return adopt(warden, *request, message);
      break;
    case Kind::launch:
      if (const auto* request = message.as<LaunchRequest>()) return launch(warden, *request, message);
      break;
    case Kind::ping:
      ++warden.pongs_owed;
      break;
    case Kind::term:
      if (Range* range = warden.table.find(message.header.range)) term(warden, *range);
      break;
    case Kind::kill:
      if (Range* range = warden.table.find(message.header.range)) kill(warden, *range);
      break;
    default:
      break;  // of a later version; the host knows ours
  }
  message.close_fds();
}

/// Everything ends, at once: the host is dead, or its last environment has closed the channel.
void host_gone(Warden& warden) {
  warden.host_gone_ms = warden.now_ms;
  unwatch(warden, warden.channel, true);
  sys::close(warden.lifeline[1]);
  for (int slot = 0; slot < warden.table.end(); ++slot) {
    Range* range = warden.table.at(slot);
    // Supervisors see the end of their lifeline, and are better at ending their members than a KILL for themselves.
    if (range != nullptr && range->hold != Hold::subreaper) kill(warden, *range);
  }
  warden.sweep_backoff_ms = 1;
  warden.sweep_due_ms = warden.now_ms;
}

void listen(Warden& warden) {
  static Incoming message;
  // Bounded, so that a busy host does not keep us from reaping.
  for (int i = 0; i < 64 && !warden.table.full(); ++i) {
    const Received received = receive(warden.channel, message);
    if (received == Received::nothing) return;
    if (received == Received::message) obey(warden, message);
    if (received == Received::gone) return host_gone(warden);
  }
}

void run_timers(Warden& warden) {
  if (warden.sweep_due_ms != 0 && warden.sweep_due_ms <= warden.now_ms) sweep_orphans(warden);
  for (int slot = 0; slot < warden.table.end(); ++slot) {
    Range* range = warden.table.at(slot);
    if (range != nullptr && range->due_ms != 0 && range->due_ms <= warden.now_ms) step(warden, *range);
  }
}

/// Milliseconds until the next timed step, -1 for none.
int patience(Warden& warden) {
  uint64_t due = warden.sweep_due_ms;
  for (int slot = 0; slot < warden.table.end(); ++slot) {
    const Range* range = warden.table.at(slot);
    if (range != nullptr && range->due_ms != 0 && (due == 0 || range->due_ms < due)) due = range->due_ms;
  }
  if (warden.unsettled) return 0;
  if (due == 0) return -1;
  return due > warden.now_ms ? static_cast<int>(due - warden.now_ms) : 0;
}

bool tell_own(Warden& warden) {
  const int channel = warden.channel;
  if (warden.ready_owed && send(channel, Kind::ready, 0, warden.ready) == Sent::full) return false;
  warden.ready_owed = false;
  for (int i = 0; i < 2; ++i) {
    if (warden.answer_owed[i] && send(channel, Kind::subtree, 0, warden.answers[i]) == Sent::full) return false;
    warden.answer_owed[i] = false;
  }
  for (; warden.pongs_owed > 0; --warden.pongs_owed) {
    Header pong = {Kind::pong, 0, sizeof(Header), 0};
    if (send(channel, &pong, sizeof pong) == Sent::full) return false;
  }
  return tell_escapes(warden);
}

/// Sends all that is owed, and asks to be woken when the socket has room if not all of it went.
void tell_all(Warden& warden) {
  bool told = tell_own(warden);
  for (int slot = 0; slot < warden.table.end() && told; ++slot) {
    Range* range = warden.table.at(slot);
    if (range != nullptr && (range->facts.owed != 0 || range->over)) told = tell(warden, *range);
  }
  const bool reads = !warden.table.full();
  if (warden.channel < 0 || (warden.waits_for_room == !told && warden.reads == reads)) return;
  struct epoll_event event = {(reads ? EPOLLIN : 0) | (told ? 0 : EPOLLOUT), event_data(Source::channel)};
  if (sys::call(__NR_epoll_ctl, warden.epoll, EPOLL_CTL_MOD, warden.channel, &event) < 0) return;
  warden.waits_for_room = !told;
  warden.reads = reads;
}

void dispatch(Warden& warden, const struct epoll_event& event) {
  const auto source = static_cast<Source>(event.data >> 56);
  if (source == Source::signals) return reap(warden);
  if (source == Source::channel) {
    if (warden.channel >= 0 && (event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) listen(warden);
    return;
  }
  Range* range = warden.table.at(static_cast<int>(event.data >> 32 & 0xffffff));
  if (range == nullptr || (range->facts.range & 0xffffffff) != (event.data & 0xffffffff)) return;
  if (source == Source::status) look_at_launch(warden, *range);
  warden.unsettled = true;
}

/// After the host has gone: true when nothing is left to do, or to be waited for.
bool finished(Warden& warden) {
  if (warden.table.live() > 0) return false;
  // The last members may have handed over orphans of their own that had left their leaf.
  if (warden.sweep_due_ms == 0) look_for_orphans(warden);
  if (warden.sweep_due_ms != 0) return false;
  for (Subtree& subtree : warden.subtrees) {
    if (!subtree.adopted || subtree.path()[0] == 0) continue;
    const long removed = sys::call(__NR_unlinkat, AT_FDCWD, subtree.path(), AT_REMOVEDIR);
    if (removed == -EBUSY && warden.now_ms < warden.host_gone_ms + kRemovalMs) {
      warden.sweep_due_ms = warden.now_ms + 10;
      return false;
    }
  }
  return true;
}

void turn(Warden& warden) {
  struct epoll_event events[32];
  const long count = sys::call(__NR_epoll_pwait, warden.epoll, events, 32, patience(warden), nullptr, 0);
  warden.now_ms = sys::now_ms();
  for (long i = 0; i < count; ++i) dispatch(warden, events[i]);
  run_timers(warden);
  if (warden.unsettled) settle(warden);
  tell_all(warden);
}

}  // namespace

void reap(Warden& warden) {
  struct signalfd_siginfo info[4];
  while (sys::read(warden.signals, info, sizeof info) > 0) {
  }
  for (;;) {
    int status;
    struct rusage usage;
    // Stops too: a supervisor that was stopped by its own members is continued.
    const long pid = sys::wait(-1, &status, WNOHANG | WUNTRACED | __WALL, &usage);
    if (pid == -EINTR) continue;
    if (pid <= 0) return;
    Range* range = warden.table.find_child(static_cast<int>(pid));
    if (sys::stopped(status)) {
      if (range != nullptr && range->hold == Hold::subreaper) sys::kill(static_cast<int>(pid), SIGCONT);
      continue;
    }
    warden.unsettled = true;
    if (range != nullptr) {
      child_reaped(warden, *range, status, usage);
    } else {
      orphan_reaped(warden, static_cast<int>(pid), status, usage);
    }
  }
}

bool watch(Warden& warden, int fd, uint32_t events, uint64_t data) {
  struct epoll_event event = {events, data};
  return sys::call(__NR_epoll_ctl, warden.epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

void unwatch(Warden& warden, int& fd, bool watched) {
  if (watched && fd >= 0) sys::call(__NR_epoll_ctl, warden.epoll, EPOLL_CTL_DEL, fd, nullptr);
  close_if_open(fd);
}

void run() {
  Warden& warden = g_warden;
  if (!start(warden)) sys::exit(1);
  warden.now_ms = sys::now_ms();
  tell_all(warden);
  while (warden.host_gone_ms == 0 || !finished(warden)) turn(warden);
  sys::exit(0);
}

}  // namespace holdfast::warden
