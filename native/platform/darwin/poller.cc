#include "platform/posix/poller.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/event.h>
#include <sys/time.h>

namespace holdfast::posix {

namespace {

constexpr int kBatch = 64;
constexpr uintptr_t kWakeIdent = 0;

struct kevent make(uintptr_t ident, int16_t filter, uint16_t flags, std::uint64_t id, std::uint32_t fflags = 0, intptr_t data = 0) {
  struct kevent event;
  EV_SET(&event, ident, filter, flags, fflags, data, reinterpret_cast<void*>(id));
  return event;
}

int apply(int queue, const struct kevent& change) {
  int result;
  do result = ::kevent(queue, &change, 1, nullptr, 0, nullptr);
  while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

bool reads(std::uint32_t events) { return (events & Poller::kRead) != 0 || (events & Poller::kWrite) == 0; }

// Who asks for nothing wants to hear of the end, and a filter that is off tells nothing. One that waits for more bytes than
// a pipe can have (the kernel takes it for a full pipe) is told of the end all the same.
struct kevent read_filter(int fd, std::uint32_t events, std::uint64_t id) {
  const auto flags = static_cast<uint16_t>(EV_ADD | ((events & Poller::kEdge) != 0 ? EV_CLEAR : 0));
  const bool end_only = (events & Poller::kRead) == 0;
  return make(static_cast<uintptr_t>(fd), EVFILT_READ, flags, id, end_only ? NOTE_LOWAT : 0u, end_only ? INT_MAX : 0);
}

struct kevent write_filter(int fd, std::uint32_t events, std::uint64_t id) {
  const auto flags = static_cast<uint16_t>(EV_ADD | ((events & Poller::kEdge) != 0 ? EV_CLEAR : 0));
  return make(static_cast<uintptr_t>(fd), EVFILT_WRITE, flags, id);
}

std::uint32_t happened(const struct kevent& event) {
  const std::uint32_t end = (event.flags & EV_EOF) != 0 ? Poller::kHangUp : 0u;
  if (event.filter == EVFILT_READ) return Poller::kRead | end;
  if (event.filter == EVFILT_WRITE) return Poller::kWrite | end;
  return Poller::kHangUp;
}

}  // namespace

int Poller::open() {
  queue_.reset(::kqueue());
  if (!queue_) return errno;
  int error = ::fcntl(queue_.get(), F_SETFD, FD_CLOEXEC) == 0 ? 0 : errno;
  if (error == 0) error = apply(queue_.get(), make(kWakeIdent, EVFILT_USER, EV_ADD | EV_CLEAR, 0));
  if (error != 0) close();
  return error;
}

void Poller::close() { queue_.reset(); }

// Cannot fail while the queue is open: nothing is allocated for it.
void Poller::wake() { apply(queue_.get(), make(kWakeIdent, EVFILT_USER, 0, 0, NOTE_TRIGGER)); }

int Poller::add(int fd, std::uint32_t events, std::uint64_t id) {
  if (reads(events)) {
    if (const int error = apply(queue_.get(), read_filter(fd, events, id))) return error;
  }
  if ((events & kWrite) == 0) return 0;
  const int error = apply(queue_.get(), write_filter(fd, events, id));
  if (error != 0) remove(fd, events);
  return error;
}

void Poller::change(int fd, std::uint32_t before, std::uint32_t events, std::uint64_t id) {
  if (reads(events)) {
    apply(queue_.get(), read_filter(fd, events, id));
  } else if (reads(before)) {
    apply(queue_.get(), make(static_cast<uintptr_t>(fd), EVFILT_READ, EV_DELETE, id));
  }
  if ((events & kWrite) != 0) {
    apply(queue_.get(), write_filter(fd, events, id));
  } else if ((before & kWrite) != 0) {
    apply(queue_.get(), make(static_cast<uintptr_t>(fd), EVFILT_WRITE, EV_DELETE, id));
  }
}

void Poller::remove(int fd, std::uint32_t events) {
  if (reads(events)) apply(queue_.get(), make(static_cast<uintptr_t>(fd), EVFILT_READ, EV_DELETE, 0));
  if ((events & kWrite) != 0) apply(queue_.get(), make(static_cast<uintptr_t>(fd), EVFILT_WRITE, EV_DELETE, 0));
}

// ESRCH: it has exited already, and is looked for no more by this number.
bool Poller::add_exit(pid_t child, std::uint64_t id, Fd&) {
  return apply(queue_.get(), make(static_cast<uintptr_t>(child), EVFILT_PROC, EV_ADD | EV_ONESHOT, id, NOTE_EXIT)) == 0;
}

void Poller::remove_exit(pid_t child, const Fd&) {
  // ENOENT: it was told, and with that it was removed.
  apply(queue_.get(), make(static_cast<uintptr_t>(child), EVFILT_PROC, EV_DELETE, 0));
}

int Poller::wait(Event* events, int capacity, int timeout_us) {
  struct kevent raw[kBatch];
  const timespec timeout{timeout_us / 1000000, (timeout_us % 1000000) * 1000L};
  const int n = ::kevent(queue_.get(), nullptr, 0, raw, capacity < kBatch ? capacity : kBatch, timeout_us < 0 ? nullptr : &timeout);
  int used = 0;
  for (int i = 0; i < n; i++) {
    if (raw[i].filter != EVFILT_USER) events[used++] = {reinterpret_cast<std::uint64_t>(raw[i].udata), happened(raw[i])};
  }
  return used;
}

}  // namespace holdfast::posix
