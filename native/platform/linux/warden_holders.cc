#include "warden_holders.h"

#include <errno.h>

#include "platform/posix/processes.h"
#include "warden_events.h"

namespace holdfast::linux_os {

using posix::descendants;
using posix::now_us;
using warden::Header;
using warden::Kind;

namespace {

/// How long a supervisor without a warden may stay silent.
constexpr std::uint64_t kPatienceUs = 5 * 1000 * 1000;
constexpr std::uint64_t kAgainUs = 1000;
constexpr const char* kBothGone = "the warden and the supervisor of this range have both died";
constexpr const char* kDuringLaunch = "the warden died during the launch";

}  // namespace

bool WardenClient::SupervisorHolder::listen(Reactor& reactor) {
  watch_ = reactor.watch(channel_.get(), posix::Poller::kRead, [self = shared_from_this()](std::uint32_t) { self->receive(); });
  return watch_ != 0;
}

void WardenClient::SupervisorHolder::release() {
  if (client_->reactor_ != nullptr) {
    client_->reactor_->unwatch(std::exchange(watch_, 0));
    client_->reactor_->cancel(std::exchange(patience_, 0));
  }
  client_->forget(id_);
  // Closed with the object: another thread may be reading members() at this moment, which needs no channel.
}

void WardenClient::SupervisorHolder::catch_up() {
  if (watch_ != 0) receive();
}

void WardenClient::SupervisorHolder::warden_gone() {
  catch_up();
  const auto range = range_.lock();
  if (!range || range->over()) return;
  // Not heard of: perhaps there is none. One that is there sees the end of its channel.
  if (supervisor_ == 0) return range->lost(kDuringLaunch);
  if (watch_ == 0) return range->lost(kBothGone);
  ask();
}

void WardenClient::SupervisorHolder::ask() {
  heard_ = false;
  send(Kind::ping);
  patience_ = client_->reactor_->at(now_us() + kPatienceUs, [self = shared_from_this()] {
    self->patience_ = 0;
    self->catch_up();
    const auto waiting = self->range_.lock();
    if (!waiting || waiting->over()) return;
    if (!self->heard_) return waiting->lost("the warden has died and the supervisor of this range does not answer");
    // It may be stopped later, and nobody but us would notice.
    self->ask();
  });
}

std::vector<pid_t> WardenClient::SupervisorHolder::members() const {
  const int supervisor = supervisor_.load(std::memory_order_acquire);
  return supervisor > 0 ? descendants(supervisor) : std::vector<pid_t>();
}

void WardenClient::SupervisorHolder::send(Kind kind) {
  const Header header = make_header(kind, sizeof header, id_);
  // A supervisor that is gone answers EPIPE, and its end of file tells the rest. The channel holds hundreds of these and at
  // most a few are sent, but the kernel may have no memory for one at this moment; a request that is lost would not be
  // repeated, and the range would never end.
  while (::send(channel_.get(), &header, sizeof header, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != ENOBUFS && errno != ENOMEM) return;
    client_->reactor_->at(now_us() + kAgainUs, [self = shared_from_this(), kind] {
      if (self->watch_ != 0) self->send(kind);
    });
    return;
  }
}

void WardenClient::SupervisorHolder::receive() {
  const auto range = range_.lock();
  if (!range) return;
  const bool open = receive_all(channel_.get(), [&](const void* message, std::size_t size) {
    heard_ = true;
    warden::StartedEvent started;
    if (size == sizeof started) {
      memcpy(&started, message, sizeof started);
      if (started.header.kind == Kind::started) supervisor_.store(started.holder_pid, std::memory_order_release);
    }
    deliver(*range, message, size);
    return !range->over();
  });
  if (open || range->over()) return;
  // Gone without a last word: the warden adopts what it held, ends it, and reports that on its own socket. If the
  // warden is gone as well, nobody is left who could tell.
  client_->reactor_->unwatch(std::exchange(watch_, 0));
  if (!client_->alive()) range->lost(supervisor_ > 0 ? kBothGone : kDuringLaunch);
}

}  // namespace holdfast::linux_os
