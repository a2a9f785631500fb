#include "warden_start.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "platform/posix/reactor.h"
#include "threads.h"
#include "warden_image.h"

namespace holdfast::linux_os {

using posix::now_us;

namespace {

/// A warden that cannot run ends at once, so this only has to be longer than a crowded machine takes: one that is given up
/// too early would leave its host with a weaker owner.
constexpr int kReadyTimeoutMs = 5000;

// posix_spawn and not fork: its cost does not grow with the host's memory.
int spawn_file(const char* path, int channel, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (const int error = posix_spawn_file_actions_init(&actions)) return error;
  if (const int error = posix_spawnattr_init(&attributes)) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  sigset_t all;
  sigfillset(&all);
  int error = 0;
  const auto also = [&error](int result) {
    if (error == 0) error = result;
  };
  also(posix_spawnattr_setsigmask(&attributes, &all));  // the warden takes signals from a signalfd only
  also(posix_spawnattr_setsigdefault(&attributes, &all));
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID;
  also(keep_host_policy(attributes, flags));
  also(posix_spawnattr_setflags(&attributes, flags));
  for (int fd = 0; fd < 3; fd++) also(posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0));
  also(posix_spawn_file_actions_adddup2(&actions, channel, warden::kChannelFd));
  if (error == 0) {
    char name[] = "holdfast-warden";
    char* const argv[] = {name, nullptr};
    char* const envp[] = {nullptr};
    error = posix_spawn(&pid, path, &actions, &attributes, argv, envp);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Why a try failed: a text, and the errno where it was one. Empty text: it did not.
struct Problem {
  std::string text;
  int error = 0;

  static Problem of(int error) { return {strerror(error), error}; }
};

// One try with one file.
Problem try_file(const char* path, WardenProcess& out) {
  posix::Fd theirs;
  if (const int error = posix::make_socket_pair(SOCK_SEQPACKET, out.socket, theirs)) return Problem::of(error);
  // dup2 onto itself would keep close-on-exec, so the source must not be the target.
  posix::Fd high(::fcntl(theirs.get(), F_DUPFD_CLOEXEC, 10));
  if (!high) return Problem::of(errno);
  if (const int error = spawn_file(path, high.get(), out.pid)) return Problem::of(error);
  theirs.reset();
  high.reset();

  const ssize_t n = receive_within(out.socket.get(), &out.ready, sizeof out.ready, kReadyTimeoutMs);
  const int error = errno;
  if (n == static_cast<ssize_t>(sizeof out.ready) && out.ready.header.kind == warden::Kind::ready &&
      out.ready.version == warden::kProtocolVersion) {
    return {};
  }
  out.socket.reset();
  reap_warden(out.pid, 0);
  out.pid = -1;
  if (n == static_cast<ssize_t>(sizeof out.ready)) return {"it speaks another version of the protocol"};
  if (n < 0) return {std::string("it did not report: ") + strerror(error)};
  return {"it ended at once"};
}

bool trusted(const char* path, std::string& why_not) {
  struct stat info;
  if (::stat(path, &info) != 0) {
    why_not = strerror(errno);
    return false;
  }
  if (info.st_uid != 0 && info.st_uid != ::geteuid()) {
    why_not = "it belongs to another user";
    return false;
  }
  return true;
}

int write_image(int fd) {
  const unsigned char* data = warden_image;
  std::size_t left = warden_image_size;
  while (left > 0) {
    const ssize_t n = ::write(fd, data, left);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    data += n;
    left -= static_cast<std::size_t>(n);
  }
  return 0;
}

Problem try_memory(WardenProcess& out) {
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U  // Linux 6.3: without it a system with vm.memfd_noexec=1 gives a file that cannot be run
#endif
  posix::Fd file(static_cast<int>(::syscall(SYS_memfd_create, "holdfast-warden", MFD_CLOEXEC | MFD_EXEC)));
  if (!file && errno == EINVAL) file.reset(static_cast<int>(::syscall(SYS_memfd_create, "holdfast-warden", MFD_CLOEXEC)));
  if (!file) return Problem::of(errno);
  if (const int error = write_image(file.get())) return Problem::of(error);
  // A descriptor that is open for writing cannot be executed (ETXTBSY), a second one for reading can.
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file.get());
  posix::Fd readable(::open(path, O_RDONLY | O_CLOEXEC));
  if (!readable) return Problem{std::string("/proc: ") + strerror(errno), errno};
  file.reset();
  snprintf(path, sizeof path, "/proc/self/fd/%d", readable.get());
  return try_file(path, out);
}

Problem try_directory(const std::string& base, WardenProcess& out) {
  std::string directory = base + "/holdfast-warden-XXXXXX";
  if (::mkdtemp(directory.data()) == nullptr) return Problem::of(errno);
  const std::string path = directory + "/holdfast-warden";
  Problem problem;
  {
    posix::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700));
    const int error = file ? write_image(file.get()) : errno;
    if (error != 0) problem = Problem::of(error);
  }
  // Another thread's fork may still carry the write descriptor for a moment: then exec answers ETXTBSY.
  for (int attempt = 0; problem.text.empty() && attempt < 5; attempt++) {
    problem = try_file(path.c_str(), out);
    if (problem.error != ETXTBSY) break;
    if (attempt < 4) problem = {};
    timespec pause{0, 10 * 1000000L};
    ::nanosleep(&pause, nullptr);
  }
  ::unlink(path.c_str());
  ::rmdir(directory.c_str());
  return problem;
}

}  // namespace

ssize_t receive_within(int socket, void* message, std::size_t size, int timeout_ms) {
  const std::uint64_t end = now_us() + static_cast<std::uint64_t>(timeout_ms) * 1000u;
  for (;;) {
    const std::uint64_t now = now_us();
    const int left = now >= end ? 0 : static_cast<int>((end - now + 999) / 1000);
    pollfd entry{socket, POLLIN, 0};
    const int ready = ::poll(&entry, 1, left);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return -1;
    if (ready == 0) {
      errno = ETIMEDOUT;
      return -1;
    }
    const ssize_t n = ::recv(socket, message, size, MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    return n;
  }
}

bool has_ended(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

void reap_warden(pid_t pid, int timeout_ms) {
  for (int waited = 0;; waited++) {
    const pid_t reaped = ::waitpid(pid, nullptr, WNOHANG);
    // ECHILD: the host ignores SIGCHLD or somebody else's waitpid(-1) took it; either way it is gone.
    if (reaped == pid || (reaped < 0 && errno == ECHILD)) return;
    if (waited == timeout_ms) ::kill(pid, SIGKILL);  // unreaped, so the number is still its own
    timespec pause{0, 1000000L};
    ::nanosleep(&pause, nullptr);
  }
}

bool start_warden(const WardenFiles& files, WardenProcess& out, Refusal& refusal) {
  // True: no more tries. It runs, or something has run out, which would end every other try as well.
  const auto over = [&](const char* from, const std::string& path, const std::string& what, const Problem& problem) {
    if (problem.text.empty()) {
      out.from = from;
      out.path = path;
      return true;
    }
    refusal.add(what + ": " + problem.text);
    refusal.came_of(problem.error);
    return refusal.shortage != 0;
  };
  const auto runs = [&refusal] { return refusal.shortage == 0; };
  if (!files.override_path.empty()) {
    const std::string& path = files.override_path;
    return over("override", path, "HOLDFAST_WARDEN=" + path, try_file(path.c_str(), out)) && runs();
  }
  if (!files.packaged_path.empty()) {
    const std::string& path = files.packaged_path;
    Problem problem;
    if (trusted(path.c_str(), problem.text)) problem = try_file(path.c_str(), out);
    if (over("package", path, path, problem)) return runs();
  }
  if (over("memory", {}, "memfd", try_memory(out))) return runs();
  if (files.directory.empty()) return false;
  return over("directory", {}, files.directory, try_directory(files.directory, out)) && runs();
}

}  // namespace holdfast::linux_os
