// LD_PRELOAD: the fault layer of the host. Every function of libc that the addon calls and that may fail passes here, and
// only the addon's calls count: a wrapper looks where it is called from. The plan is the file that FAULT_PLAN names.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "plan.h"

static struct fault_plan *plan;
static uintptr_t first, last;  // the addon's code

static int find_addon(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  const char *end = strstr(info->dlpi_name, "holdfast.node");
  if (end == NULL) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0) continue;
    first = info->dlpi_addr + part->p_vaddr;
    last = first + part->p_memsz;
  }
  return 1;
}

static void *real(void **known, const char *name) {
  if (*known == NULL) *known = dlsym(RTLD_NEXT, name);
  return *known;
}

static void count(const char *name) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  int at = 0;
  while (at < FAULT_NAMES - 1 && plan->host[at].name[0] != '\0' && strcmp(plan->host[at].name, name) != 0) at++;
  strncpy(plan->host[at].name, name, sizeof plan->host[at].name - 1);
  plan->host[at].count++;
  pthread_mutex_unlock(&lock);
}

static int planned(const char *name, const void *caller) {
  const uintptr_t from = (uintptr_t)caller;
  if (plan == NULL || from < first || from >= last) return 0;
  count(name);
  return plan->armed && plan->side == FAULT_HOST && strcmp(plan->call, name) == 0;
}

/// The errno with which this call fails; 0: it is made.
static int fault(const char *name, const void *caller) {
  return planned(name, caller) && plan->error != 0 && fault_due(plan) ? plan->error : 0;
}

static const char *kind_of(int fd, int *stream) {
  struct stat info;
  if (fstat(fd, &info) != 0) return "";
  switch (info.st_mode & S_IFMT) {
    case S_IFREG: *stream = 1; return ".file";
    case S_IFCHR: *stream = 1; return ".tty";
    case S_IFIFO: return ".pipe";
    case S_IFSOCK: {
      int type = 0;
      socklen_t length = sizeof type;
      *stream = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_STREAM;
      return ".socket";
    }
    default: return ".event";
  }
}

/// What a transfer of `size` bytes may be, or -1 with its errno. What can go wrong depends on what the descriptor is, which
/// is a part of the name. Small messages of pipes, datagrams and events come whole.
static ssize_t transfer(const char *name, const void *caller, int fd, size_t size) {
  const uintptr_t from = (uintptr_t)caller;
  if (plan == NULL || from < first || from >= last) return (ssize_t)size;
  int stream = 0;
  char full[sizeof plan->call];
  snprintf(full, sizeof full, "%s%s", name, kind_of(fd, &stream));
  if (!planned(full, caller)) return (ssize_t)size;
  if (plan->error != 0) {
    if (!fault_due(plan)) return (ssize_t)size;
    errno = plan->error;
    return -1;
  }
  return (stream ? size > 1 : size > 4096) && fault_due(plan) ? (ssize_t)fault_short(size) : (ssize_t)size;
}

#define REAL(name) \
  static void *known; \
  __typeof__(&name) through = (__typeof__(&name))real(&known, #name)
#define FROM __builtin_return_address(0)

// A function that says -1 (or what `failed` is) and errno.
#define FAILS(result, failed, name, parameters, arguments) \
  result name parameters { \
    REAL(name); \
    const int error = fault(#name, FROM); \
    if (error == 0) return through arguments; \
    errno = error; \
    return failed; \
  }
// One that gives the errno itself.
#define TELLS(name, parameters, arguments) \
  int name parameters { \
    REAL(name); \
    const int error = fault(#name, FROM); \
    return error == 0 ? through arguments : error; \
  }

FAILS(int, -1, access, (const char *path, int mode), (path, mode))
FAILS(int, -1, epoll_create1, (int flags), (flags))
FAILS(int, -1, epoll_ctl, (int fd, int what, int target, struct epoll_event *event), (fd, what, target, event))
FAILS(int, -1, epoll_wait, (int fd, struct epoll_event *events, int size, int ms), (fd, events, size, ms))
FAILS(int, -1, eventfd, (unsigned value, int flags), (value, flags))
FAILS(int, -1, faccessat, (int fd, const char *path, int mode, int flags), (fd, path, mode, flags))
FAILS(int, -1, fchdir, (int fd), (fd))
FAILS(DIR *, NULL, fdopendir, (int fd), (fd))
FAILS(FILE *, NULL, fopen, (const char *path, const char *mode), (path, mode))
FAILS(char *, NULL, fgets, (char *to, int size, FILE *file), (to, size, file))
FAILS(int, -1, fstat, (int fd, struct stat *info), (fd, info))
FAILS(int, -1, getentropy, (void *to, size_t size), (to, size))
FAILS(int, -1, getpriority, (__priority_which_t which, id_t who), (which, who))
FAILS(int, -1, getrlimit, (__rlimit_resource_t what, struct rlimit *limit), (what, limit))
FAILS(int, 0, isatty, (int fd), (fd))
FAILS(int, -1, kill, (pid_t pid, int number), (pid, number))
FAILS(off_t, -1, lseek, (int fd, off_t offset, int from), (fd, offset, from))
FAILS(int, -1, lstat, (const char *path, struct stat *info), (path, info))
FAILS(int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
FAILS(int, -1, madvise, (void *at, size_t size, int advice), (at, size, advice))
FAILS(char *, NULL, mkdtemp, (char *path), (path))
FAILS(void *, MAP_FAILED, mmap, (void *at, size_t size, int access, int flags, int fd, off_t offset), (at, size, access, flags, fd, offset))
FAILS(int, -1, munmap, (void *at, size_t size), (at, size))
FAILS(int, -1, nanosleep, (const struct timespec *time, struct timespec *left), (time, left))
FAILS(DIR *, NULL, opendir, (const char *path), (path))
FAILS(int, -1, pipe2, (int ends[2], int flags), (ends, flags))
FAILS(int, -1, poll, (struct pollfd *list, nfds_t size, int ms), (list, size, ms))
FAILS(int, -1, ppoll, (struct pollfd *list, nfds_t size, const struct timespec *time, const sigset_t *mask), (list, size, time, mask))
FAILS(int, -1, posix_openpt, (int flags), (flags))
FAILS(struct dirent *, NULL, readdir, (DIR *directory), (directory))
FAILS(ssize_t, -1, readlink, (const char *path, char *to, size_t size), (path, to, size))
FAILS(ssize_t, -1, readlinkat, (int fd, const char *path, char *to, size_t size), (fd, path, to, size))
FAILS(int, -1, rmdir, (const char *path), (path))
FAILS(int, -1, sched_getscheduler, (pid_t pid), (pid))
FAILS(int, -1, sched_setscheduler, (pid_t pid, int policy, const struct sched_param *more), (pid, policy, more))
FAILS(ssize_t, -1, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
FAILS(int, -1, setpriority, (__priority_which_t which, id_t who, int value), (which, who, value))
FAILS(int, -1, setsockopt, (int fd, int level, int name, const void *value, socklen_t size), (fd, level, name, value, size))
FAILS(int, -1, shutdown, (int fd, int how), (fd, how))
FAILS(int, -1, socketpair, (int domain, int type, int protocol, int ends[2]), (domain, type, protocol, ends))
FAILS(int, -1, stat, (const char *path, struct stat *info), (path, info))
FAILS(int, -1, statfs, (const char *path, struct statfs *info), (path, info))
FAILS(int, -1, statvfs, (const char *path, struct statvfs *info), (path, info))
FAILS(long, -1, sysconf, (int name), (name))
FAILS(int, -1, tcgetattr, (int fd, struct termios *modes), (fd, modes))
FAILS(pid_t, -1, tcgetpgrp, (int fd), (fd))
FAILS(int, -1, tcsetattr, (int fd, int when, const struct termios *modes), (fd, when, modes))
FAILS(int, -1, unlink, (const char *path), (path))
FAILS(int, -1, unlinkat, (int fd, const char *path, int flags), (fd, path, flags))
FAILS(int, -1, unlockpt, (int fd), (fd))
FAILS(int, -1, unshare, (int flags), (flags))
TELLS(posix_spawn_file_actions_addclose, (posix_spawn_file_actions_t *actions, int fd), (actions, fd))
TELLS(posix_spawn_file_actions_adddup2, (posix_spawn_file_actions_t *actions, int from, int to), (actions, from, to))
TELLS(posix_spawn_file_actions_addopen, (posix_spawn_file_actions_t *actions, int fd, const char *path, int flags, mode_t mode), (actions, fd, path, flags, mode))
TELLS(posix_spawn, (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]), (pid, path, actions, attributes, argv, envp))
TELLS(pthread_create, (pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument), (thread, attributes, body, argument))
TELLS(ptsname_r, (int fd, char *to, size_t size), (fd, to, size))

#define TRANSFERS(name, parameters, arguments, fd, size) \
  ssize_t name parameters { \
    REAL(name); \
    const ssize_t may = transfer(#name, FROM, fd, size); \
    if (may < 0) return -1; \
    size = (size_t)may; \
    return through arguments; \
  }
TRANSFERS(read, (int fd, void *to, size_t size), (fd, to, size), fd, size)
TRANSFERS(write, (int fd, const void *from, size_t size), (fd, from, size), fd, size)
TRANSFERS(pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at), fd, size)
TRANSFERS(recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags), fd, size)
TRANSFERS(send, (int fd, const void *from, size_t size, int flags), (fd, from, size, flags), fd, size)

ssize_t readv(int fd, const struct iovec *parts, int count_of_parts) {
  REAL(readv);
  const ssize_t may = transfer("readv", FROM, fd, parts[0].iov_len);
  if (may < 0) return -1;
  const struct iovec less = {parts[0].iov_base, (size_t)may};
  return (size_t)may < parts[0].iov_len ? through(fd, &less, 1) : through(fd, parts, count_of_parts);
}

// It fails and is closed, as on a network file system.
int close(int fd) {
  REAL(close);
  const int error = fault("close", FROM);
  const int result = through(fd);
  if (error == 0) return result;
  errno = error;
  return -1;
}

// ECHILD: somebody else has reaped it, so it has to be gone.
#define REAPS(name, parameters, arguments) \
  pid_t name parameters { \
    REAL(name); \
    const void *from = FROM; \
    if (plan != NULL && plan->error == ECHILD) { \
      const pid_t reaped = through arguments; \
      if (reaped <= 0 || fault(#name, from) == 0) return reaped; \
      errno = ECHILD; \
      return -1; \
    } \
    const int error = fault(#name, from); \
    if (error == 0) return through arguments; \
    errno = error; \
    return -1; \
  }
REAPS(waitpid, (pid_t pid, int *status, int options), (pid, status, options))
REAPS(wait4, (pid_t pid, int *status, int options, struct rusage *usage), (pid, status, options, usage))
FAILS(int, -1, waitid, (idtype_t type, id_t id, siginfo_t *info, int options), (type, id, info, options))

// Those with arguments that depend on another: a word each, as the system call has them.
#define WORD(list, at) va_list list; va_start(list, at); const long word = va_arg(list, long); va_end(list)
#define FAILS_WORD(name, head, at, arguments) \
  int name head { \
    REAL(name); \
    const int error = fault(#name, FROM); \
    WORD(list, at); \
    if (error == 0) return through arguments; \
    errno = error; \
    return -1; \
  }
FAILS_WORD(fcntl, (int fd, int what, ...), what, (fd, what, word))
FAILS_WORD(ioctl, (int fd, unsigned long what, ...), what, (fd, what, word))
FAILS_WORD(open, (const char *path, int flags, ...), flags, (path, flags, word))
FAILS_WORD(openat, (int fd, const char *path, int flags, ...), flags, (fd, path, flags, word))

static const char *name_of(long number) {
  switch (number) {
    case SYS_close_range: return "sys_close_range";
    case SYS_epoll_pwait2: return "sys_epoll_pwait2";
    case SYS_gettid: return "sys_gettid";
    case SYS_memfd_create: return "sys_memfd_create";
    case SYS_pidfd_open: return "sys_pidfd_open";
    case SYS_pidfd_send_signal: return "sys_pidfd_send_signal";
    case SYS_sched_getaffinity: return "sys_sched_getaffinity";
    case SYS_sched_getattr: return "sys_sched_getattr";
    case SYS_sched_setaffinity: return "sys_sched_setaffinity";
    case SYS_sched_setattr: return "sys_sched_setattr";
    case SYS_waitid: return "sys_waitid";
    default: return "sys_other";
  }
}

long syscall(long number, ...) {
  REAL(syscall);
  va_list list;
  va_start(list, number);
  long words[6];
  for (int i = 0; i < 6; i++) words[i] = va_arg(list, long);
  va_end(list);
  const int error = fault(name_of(number), FROM);
  if (error == 0) return through(number, words[0], words[1], words[2], words[3], words[4], words[5]);
  errno = error;
  return -1;
}

void *dlopen(const char *path, int flags) {
  REAL(dlopen);
  if (fault("dlopen", FROM) != 0) return NULL;
  void *handle = through(path, flags);
  if (handle != NULL && path != NULL && strstr(path, "holdfast.node") != NULL) dl_iterate_phdr(find_addon, NULL);
  return handle;
}

__attribute__((constructor)) static void map_plan(void) {
  const char *path = getenv("FAULT_PLAN");
  int (*open_file)(const char *, int, ...) = (__typeof__(&open))dlsym(RTLD_NEXT, "open");
  const int fd = path == NULL ? -1 : open_file(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *mapped = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped != MAP_FAILED) plan = mapped;
}
