#include "warden_guard.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "platform/posix/reactor.h"
#include "platform/posix/threads.h"
#include "warden_start.h"

namespace holdfast::linux_os {

namespace {

constexpr std::uint64_t kAgainUs = 1000 * 1000;

}  // namespace

void WardenGuard::start(pid_t warden) {
  if (running_) return;
  warden_ = warden;
  running_ = posix::start_thread(thread_, &WardenGuard::run, this) == 0;
}

void WardenGuard::reap(pid_t warden, int timeout_ms) {
  {
    std::lock_guard lock(mutex_);
    warden_ = -1;
  }
  reap_warden(warden, timeout_ms);
  // Nobody is there to be waited for any more, so the thread is at its end.
  if (running_) ::pthread_join(thread_, nullptr);
  running_ = false;
}

void* WardenGuard::run(void* self) {
  posix::name_this_thread("holdfast-guard");
  while (static_cast<WardenGuard*>(self)->wait_for_stop()) {
  }
  return nullptr;
}

bool WardenGuard::wait_for_stop() {
  pid_t warden;
  {
    std::lock_guard lock(mutex_);
    warden = warden_;
  }
  if (warden <= 0) return false;
  siginfo_t info{};
  // WNOWAIT: the end is left for who reaps. A stop is over when it has been continued.
  if (::waitid(P_PID, static_cast<id_t>(warden), &info, WSTOPPED | WEXITED | WNOWAIT) != 0) return errno == EINTR;
  if (info.si_code != CLD_STOPPED) return false;
  std::lock_guard lock(mutex_);
  if (warden_ <= 0) return false;
  const std::uint64_t now = posix::now_us();
  const bool again = continued_us_ != 0 && now - continued_us_ < kAgainUs;
  continued_us_ = now;
  return ::kill(warden_, again ? SIGKILL : SIGCONT) == 0;
}

}  // namespace holdfast::linux_os
