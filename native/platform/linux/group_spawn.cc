#include "platform/posix/group_spawn.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/posix/arguments.h"
#include "threads.h"

namespace holdfast::posix {

namespace {

using FileActions = posix_spawn_file_actions_t;

// Entering the working directory: addfchdir_np is newer (2.29) than the oldest glibc that we run on; without it this thread, which nobody
// else shares, leaves the process's working directory and changes its own.
int enter_directory(FileActions& actions, int directory, int umask) {
  using AddFchdir = int (*)(FileActions*, int);
  static const auto add_fchdir = reinterpret_cast<AddFchdir>(::dlsym(RTLD_DEFAULT, "posix_spawn_file_actions_addfchdir_np"));
  if (add_fchdir != nullptr) return add_fchdir(&actions, directory);
  // Of each thread: another one has this place after the last environment of this copy has ended and the next has begun.
  static thread_local const int unshared = ::unshare(CLONE_FS) == 0 ? 0 : errno;
  if (unshared != 0) return unshared;
  if (umask >= 0) ::umask(static_cast<mode_t>(umask));  // the host's was parted with as well
  return ::fchdir(directory) == 0 ? 0 : errno;
}

// Nothing of the host beyond what was asked for. addclosefrom_np is glibc 2.34; without it the open descriptors that
// are not close-on-exec are closed one by one (closing one that is not open is no error in a file action).
int close_others(FileActions& actions, bool control) {
  using AddCloseFrom = int (*)(FileActions*, int);
  static const auto add_close_from = reinterpret_cast<AddCloseFrom>(::dlsym(RTLD_DEFAULT, "posix_spawn_file_actions_addclosefrom_np"));
  const int first = control ? core::kControlFd + 1 : 3;
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

}  // namespace

int look_at_directory(const std::string& cwd, Fd& directory) {
  directory.reset(::open(cwd.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory && errno == EACCES) directory.reset(::open(cwd.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  // One that can be read and not entered opens all the same, and would fail where the program is blamed for it.
  return directory && ::faccessat(directory.get(), ".", X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

int spawn_leader(RangeRequest& request, const Fd& directory, const Fd (&stdio)[3], const Fd& control, pid_t& pid) {
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
  also(linux_os::keep_host_policy(attributes, flags));
  also(posix_spawnattr_setflags(&attributes, flags));

  // Sources are moved out of the way of their targets; dup2 onto itself would keep close-on-exec.
  Fd high[4];
  const Fd* sources[4] = {&stdio[0], &stdio[1], &stdio[2], &control};
  const int targets[4] = {0, 1, 2, core::kControlFd};
  also(enter_directory(actions, directory.get(), request.umask));
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
  also(close_others(actions, static_cast<bool>(control)));

  follow_main_thread();
  Arguments arguments(request.launch);
  if (error == 0) error = posix_spawn(&pid, arguments.program(), &actions, &attributes, arguments.argv(), arguments.envp());
  if (error == ENOEXEC && is_script(directory.get(), arguments.program())) {
    arguments.run_by_shell();
    error = posix_spawn(&pid, arguments.program(), &actions, &attributes, arguments.argv(), arguments.envp());
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace holdfast::posix
