#include "warden_client.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>

#include "exit_status.h"
#include "warden_events.h"
#include "warden_holders.h"

namespace holdfast::linux_os {

using posix::now_us;
using warden::Header;
using warden::Hold;
using warden::Kind;

namespace {

/// A warden that is gone answers at once by an end of file, so this only has to be longer than a crowded machine takes.
constexpr int kAnswerTimeoutMs = 5000;
/// Bounds the launches that are sent and not yet received: a launch carries up to six descriptors, and the kernel counts
/// descriptors in flight against the user's limit. A message of ours costs about a kilobyte of socket buffer.
constexpr int kSendBuffer = 32 * 1024;
constexpr std::uint64_t kRescuePollUs = 5000;
constexpr std::uint64_t kRescueLimitUs = 5 * 1000 * 1000;

}  // namespace

WardenClient::WardenClient(WardenProcess process, std::string identity)
    : process_(std::move(process)), identity_(std::move(identity)) {
  ::setsockopt(process_.socket.get(), SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer);
}

WardenClient::~WardenClient() {
  // Only a warden that was never attached, or that a stopped reactor has let go, is still there.
  reactor_ = nullptr;
  if (process_.pid > 0) shut_down(kAnswerTimeoutMs);
}

bool WardenClient::adopt_subtree(std::unique_ptr<CgroupTree> tree, Hold hold, Refusal& refusal) {
  warden::SubtreeRequest request{};
  request.header = make_header(Kind::adopt_subtree, sizeof request, 0);
  request.hold = hold;
  if (tree->path().size() >= sizeof request.path) {
    refusal.add("the path of the cgroup is too long: " + tree->path());
    tree->remove();
    return false;
  }
  if (tree->is_ours()) {
    request.path_length = static_cast<std::uint32_t>(tree->path().size());
    memcpy(request.path, tree->path().data(), tree->path().size());
  }

  iovec data{&request, sizeof request};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  const int directory = tree->directory();
  memcpy(CMSG_DATA(rights), &directory, sizeof directory);

  warden::SubtreeEvent answer{};
  ssize_t n;
  do n = ::sendmsg(process_.socket.get(), &message, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  if (n > 0) n = receive_within(process_.socket.get(), &answer, sizeof answer, kAnswerTimeoutMs);
  if (n != static_cast<ssize_t>(sizeof answer) || answer.header.kind != Kind::subtree) {
    refusal.add(std::string("the warden did not answer the probe: ") + (n < 0 ? strerror(errno) : "unexpected message"));
    alive_.store(false);  // it has died, or what it says later would be misunderstood
    tree->remove();
    return false;
  }
  if (answer.step != warden::ProbeStep::done) {
    static constexpr const char* kSteps[] = {"", "making a leaf", "opening it", "its type", "placing a process in it",
                                             "seeing the process in it", "killing it", "seeing it empty", "removing it"};
    const auto step = static_cast<std::size_t>(answer.step);
    refusal.add("the live probe in " + tree->path() + " failed at " + (step < std::size(kSteps) ? kSteps[step] : "?") + ": " + strerror(answer.error));
    // EAGAIN from mkdir is a limit of cgroup.max.descendants or cgroup.max.depth, which does not pass by itself.
    if (answer.step != warden::ProbeStep::mkdir || answer.error != EAGAIN) refusal.came_of(answer.error);
    tree->remove();
    return false;
  }
  subtree_ = std::move(tree);
  kills_leaf_ = answer.has_kill != 0;
  return true;
}

void WardenClient::attach(Reactor& reactor) {
  reactor_ = &reactor;
  reactor.post([self = shared_from_this()] {
    self->watch_ = self->reactor_->watch(self->process_.socket.get(), posix::Poller::kRead,
                                         [self](std::uint32_t events) { self->on_socket(events); });
    if (self->watch_ == 0) self->on_gone();
  });
}

void WardenClient::launch(Launch launch) {
  const std::shared_ptr<Range> range = launch.range;
  posix::Fd our_channel, their_channel;
  std::shared_ptr<Holder> holder;
  std::shared_ptr<SupervisorHolder> supervisor;
  if (launch.hold == Hold::subreaper) {
    if (const int error = posix::make_socket_pair(SOCK_SEQPACKET, our_channel, their_channel)) {
      reactor_->post([range, error] {
        range->failed({.error = error, .code = {}, .stage = core::Stage::own, .syscall = "socketpair", .subject = {}});
      });
      return;
    }
    holder = supervisor = std::make_shared<SupervisorHolder>(shared_from_this(), range, std::move(our_channel));
  } else {
    holder = std::make_shared<LeafHolder>(shared_from_this(), range->id);
  }

  // The range is known to the reactor before the warden can say anything about it.
  auto ends = std::make_shared<Launch>();
  for (int i = 0; i < 2; i++) ends->outputs[i] = std::move(launch.outputs[i]);
  ends->input = std::move(launch.input);
  {
    std::lock_guard lock(send_mutex_);
    launch_sent_.emplace(range->id, false);
  }
  const bool must_wake = reactor_->queue([self = shared_from_this(), range, holder, supervisor, ends, hold = launch.hold] {
    self->ranges_.emplace(range->id, Held{range, supervisor});
    const bool deaf = supervisor && !supervisor->listen(*self->reactor_);
    const core::Owner owner = hold == Hold::subreaper ? core::Owner::subreaper : hold == Hold::scope ? core::Owner::scope : core::Owner::cgroup;
    range->adopt(*self->reactor_, owner, holder, ends->outputs, std::move(ends->input));
    if (self->alive()) self->guard_.start(self->process_.pid);
    // Died before this launch was sent, and on_gone() did not know of it.
    if (!self->alive()) return range->lost("the warden died before the launch");
    if (deaf) range->lost("the kernel has no room to watch one more supervisor");
  });
  int error = 0;
  const bool sent = send_launch(launch, their_channel.get(), error);
  if (must_wake) reactor_->wake();  // only now: the warden is at work meanwhile, and the reactor has heard nothing before
  if (!sent) send_again(launch, their_channel.get(), error);
}

void WardenClient::send_again(const Launch& launch, int channel, int error) {
  const std::shared_ptr<Range>& range = launch.range;
  do {
    if (error == EAGAIN) {
      pollfd entry{process_.socket.get(), POLLOUT, 0};
      ::poll(&entry, 1, 100);
      if (alive()) continue;
      error = EPIPE;
    }
    if (error == ETOOMANYREFS) {  // the user's descriptors in flight; they become fewer as the warden reads
      pollfd entry{-1, 0, 0};
      ::poll(&entry, 1, 1);
      if (alive()) continue;
      error = EPIPE;
    }
    // EPIPE: the warden has gone, and on_gone() speaks for the range.
    if (error != EPIPE) {
      reactor_->post([range, error] {
        range->failed({.error = error, .code = {}, .stage = core::Stage::own, .syscall = "sendmsg", .subject = {}});
      });
    }
    return;
  } while (!send_launch(launch, channel, error));
}

bool WardenClient::send_launch(const Launch& launch, int channel, int& error) {
  warden::LaunchRequest request{};
  request.header = make_header(Kind::launch, sizeof request, launch.range->id);
  request.hold = launch.hold;
  request.has_control = launch.control ? 1 : 0;
  request.block_size = launch.block_size;
  request.limits = launch.limits;

  int fds[warden::kMaxFds];
  int count = 0;
  fds[count++] = launch.block.get();
  for (const posix::Fd& fd : launch.stdio) fds[count++] = fd.get();
  if (launch.control) fds[count++] = launch.control.get();
  if (channel >= 0) fds[count++] = channel;

  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(int);
  iovec data{&request, sizeof request};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fds)] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  // Both lengths are size_t for glibc, socklen_t for musl.
  message.msg_controllen = static_cast<decltype(message.msg_controllen)>(CMSG_SPACE(bytes));
  cmsghdr* rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = static_cast<decltype(rights->cmsg_len)>(CMSG_LEN(bytes));
  memcpy(CMSG_DATA(rights), fds, bytes);

  bool deferred = false;
  {
    std::lock_guard lock(send_mutex_);
    ssize_t n;
    do n = ::sendmsg(process_.socket.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n < 0) {
      error = errno == ECONNRESET ? EPIPE : errno;
      return false;
    }
    const auto sent = launch_sent_.find(launch.range->id);
    if (sent != launch_sent_.end()) sent->second = true;
    deferred = !unsent_.empty();
  }
  if (deferred) reactor_->post([self = shared_from_this()] { self->flush(); });
  return true;
}

void WardenClient::request(Kind kind, std::uint64_t range) {
  {
    std::lock_guard lock(send_mutex_);
    unsent_.push_back({kind, range});
  }
  flush();
}

void WardenClient::flush() {
  bool full = false;
  {
    std::lock_guard lock(send_mutex_);
    for (auto it = unsent_.begin(); it != unsent_.end() && !full;) {
      const auto launch = launch_sent_.find(it->range);
      if (launch != launch_sent_.end() && !launch->second) {
        ++it;  // its launch is still on the way; send_launch() comes back here
        continue;
      }
      const Header header = make_header(it->kind, sizeof header, it->range);
      ssize_t n;
      do n = ::send(process_.socket.get(), &header, sizeof header, MSG_NOSIGNAL | MSG_DONTWAIT);
      while (n < 0 && errno == EINTR);
      // Nobody repeats a request that is lost here, so one that the kernel has no memory for at this moment waits like one
      // that finds the channel full.
      if (n < 0 && (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM)) {
        full = true;
      } else {
        it = unsent_.erase(it);  // sent, or nobody is there to hear it
      }
    }
  }
  if (watch_ != 0) reactor_->change(watch_, full ? posix::Poller::kRead | posix::Poller::kWrite : posix::Poller::kRead);
}

void WardenClient::on_socket(std::uint32_t events) {
  const auto self = shared_from_this();
  const bool open = receive_all(process_.socket.get(), [this](const void* message, std::size_t size) {
    on_event(message, size);
    return true;
  });
  if (!open) return on_gone();
  if ((events & posix::Poller::kWrite) != 0) flush();
}

void WardenClient::on_event(const void* message, std::size_t size) {
  Header header;
  memcpy(&header, message, sizeof header);
  if (header.kind == Kind::escaped && header.range == 0) {
    // Nobody can tell whose it is: every range in a leaf may be the one.
    for (const auto& [id, held] : ranges_) {
      if (!held.supervisor) deliver(*held.range, message, size);
    }
    return;
  }
  // The launch was announced before it was sent, but perhaps after this turn of the reactor has begun.
  if (ranges_.find(header.range) == ranges_.end()) reactor_->catch_up();
  const auto found = ranges_.find(header.range);
  if (found == ranges_.end()) return;
  const Held held = found->second;  // the event may end it
  if (held.supervisor) held.supervisor->catch_up();
  deliver(*held.range, message, size);
}

void WardenClient::forget(std::uint64_t range) {
  {
    std::lock_guard lock(send_mutex_);
    launch_sent_.erase(range);
    std::erase_if(unsent_, [range](const Unsent& entry) { return entry.range == range; });
  }
  ranges_.erase(range);
  if (!ranges_.empty()) return;
  if (!alive()) {
    if (subtree_) subtree_->remove();  // nobody else is there to do it
  } else if (retired_) {
    retire();
  }
}

void WardenClient::retire() {
  retired_ = true;
  if (!ranges_.empty() || !alive()) return;
  // End of file tells the warden to go; its own end of file comes back to on_gone(), which reaps it.
  ::shutdown(process_.socket.get(), SHUT_WR);
}

// The warden is dead. Leaves are ended by the host through cgroupfs; supervisors empty their ranges by themselves and
// report on their own channels; a launch that was not answered yet is over.
void WardenClient::on_gone() {
  if (!alive_.exchange(false)) return;
  reactor_->unwatch(std::exchange(watch_, 0));
  reactor_->catch_up();  // launches that were sent to it
  const auto ranges = ranges_;
  for (const auto& [id, held] : ranges) {
    if (!held.supervisor) {
      rescue(held.range);
    } else {
      held.supervisor->warden_gone();
    }
  }
  guard_.reap(process_.pid, 100);
  process_.pid = -1;
  if (subtree_ && ranges_.empty()) subtree_->remove();
}

void WardenClient::rescue(const std::shared_ptr<Range>& range) {
  const auto poll = std::make_shared<std::function<void()>>();
  const std::uint64_t give_up = now_us() + kRescueLimitUs;
  // Its parent cannot tell any more how the command ends. In its leaf it is alive, and nobody else with its number.
  const pid_t command = range->facts().pid;
  const std::vector<pid_t> members = subtree_->members(range->id);
  const bool lives = command > 1 && std::find(members.begin(), members.end(), command) != members.end();
  const auto exit = lives ? std::make_shared<ExitStatus>(command) : nullptr;
  *poll = [self = shared_from_this(), range, give_up, exit, command, again = std::weak_ptr(poll)] {
    const int populated = self->subtree_->populated(range->id);
    // -1 too: out of descriptors, most likely, and somebody will close one.
    if (populated != 0 && now_us() < give_up) {
      if (populated == 1) self->subtree_->kill(range->id);
      const auto next = again.lock();
      self->reactor_->at(now_us() + kRescuePollUs, [next] { (*next)(); });
      return;
    }
    if (populated != 0) return range->lost("the warden has died and the range does not become empty");
    self->subtree_->remove_leaf(range->id);
    const std::optional<int> status = exit ? exit->get() : std::nullopt;
    if (status) range->exited(command, *status, std::nullopt);
    range->status_lost("the warden died before it could report the command's exit status");
    range->emptied(false, 0, std::nullopt);
    if (self->ranges_.empty()) self->subtree_->remove();
  };
  (*poll)();
}

void WardenClient::shut_down(int timeout_ms) {
  alive_.store(false);
  if (reactor_ != nullptr) reactor_->unwatch(std::exchange(watch_, 0));
  process_.socket.reset();
  if (process_.pid > 0) guard_.reap(std::exchange(process_.pid, -1), timeout_ms);
  if (subtree_) subtree_->remove();  // it has done that itself, if it had the time
}

}  // namespace holdfast::linux_os
