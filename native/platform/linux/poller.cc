#include "platform/posix/poller.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "pidfd.h"

namespace holdfast::posix {

namespace {

constexpr int kBatch = 64;

epoll_event wanted(std::uint32_t events, std::uint64_t id) {
  epoll_event event{};
  if ((events & Poller::kRead) != 0) event.events |= EPOLLIN;
  if ((events & Poller::kWrite) != 0) event.events |= EPOLLOUT;
  if ((events & Poller::kEdge) != 0) event.events |= EPOLLET;
  event.data.u64 = id;
  return event;
}

std::uint32_t happened(std::uint32_t events) {
  return ((events & EPOLLIN) != 0 ? Poller::kRead : 0u) | ((events & EPOLLOUT) != 0 ? Poller::kWrite : 0u) |
         ((events & (EPOLLHUP | EPOLLERR)) != 0 ? Poller::kHangUp : 0u);
}

// epoll_pwait2 (Linux 5.11) takes nanoseconds; elsewhere a millisecond is the finest wait. Looked up once per process.
int wait_events(int epoll, epoll_event* events, int capacity, int timeout_us) {
#ifdef SYS_epoll_pwait2
  static std::atomic<bool> has_pwait2{true};
  if (timeout_us > 0 && timeout_us % 1000 != 0 && has_pwait2.load(std::memory_order_relaxed)) {
    timespec timeout{timeout_us / 1000000, (timeout_us % 1000000) * 1000L};
    const long n = ::syscall(SYS_epoll_pwait2, epoll, events, capacity, &timeout, nullptr, 0);
    if (n >= 0 || (errno != ENOSYS && errno != EPERM)) return static_cast<int>(n);
    has_pwait2.store(false, std::memory_order_relaxed);
  }
#endif
  return ::epoll_wait(epoll, events, capacity, timeout_us < 0 ? -1 : (timeout_us + 999) / 1000);
}

}  // namespace

int Poller::open() {
  queue_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!queue_) return errno;
  wake_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  int error = wake_ ? add(wake_.get(), kRead, 0) : errno;
  if (error != 0) close();
  return error;
}

void Poller::close() {
  wake_.reset();
  queue_.reset();
}

void Poller::wake() {
  const std::uint64_t one = 1;
  // The only other failure is EAGAIN at 2^64-2 unread wake-ups, and then the thread is awake anyway.
  while (::write(wake_.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
}

int Poller::add(int fd, std::uint32_t events, std::uint64_t id) {
  epoll_event event = wanted(events, id);
  return ::epoll_ctl(queue_.get(), EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
}

void Poller::change(int fd, std::uint32_t, std::uint32_t events, std::uint64_t id) {
  epoll_event event = wanted(events, id);
  // Cannot fail for a descriptor that is watched and open.
  ::epoll_ctl(queue_.get(), EPOLL_CTL_MOD, fd, &event);
}

void Poller::remove(int fd, std::uint32_t) { ::epoll_ctl(queue_.get(), EPOLL_CTL_DEL, fd, nullptr); }

// Without pidfds (before Linux 5.3) nobody tells.
bool Poller::add_exit(pid_t child, std::uint64_t id, Fd& handle) {
  handle.reset(linux_os::open_pidfd(child));
  return handle && add(handle.get(), kRead, id) == 0;
}

void Poller::remove_exit(pid_t, const Fd& handle) { remove(handle.get(), kRead); }

int Poller::wait(Event* events, int capacity, int timeout_us) {
  epoll_event raw[kBatch];
  const int n = wait_events(queue_.get(), raw, capacity < kBatch ? capacity : kBatch, timeout_us);
  int used = 0;
  for (int i = 0; i < n; i++) {
    if (raw[i].data.u64 != 0) {
      events[used++] = {raw[i].data.u64, happened(raw[i].events)};
      continue;
    }
    std::uint64_t count;
    (void)!::read(wake_.get(), &count, sizeof count);
  }
  return used;
}

}  // namespace holdfast::posix
