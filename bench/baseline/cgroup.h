// A cgroup of one's own, for programs that own what they start as simply as can be.
#pragma once
#include <poll.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "common.h"

static inline void put(const char *directory, const char *name, const char *text) {
  char path[4200];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0 || write(fd, text, strlen(text)) < 0) die(path, errno);
  close(fd);
}

static inline bool populated(int events) {
  char text[256] = {0};
  if (pread(events, text, sizeof text - 1, 0) < 0) die("cgroup.events", errno);
  return strstr(text, "populated 1") != NULL;
}

/// Forks into a new group below `parent`, whose path is put into `directory`. Returns 0 in the child, whose stdout is the
/// pipe that `*out` reads.
static inline pid_t fork_into_group(const char *parent, char directory[4096], int *out) {
  snprintf(directory, 4096, "%s/bench-%d", parent, (int)getpid());
  if (mkdir(directory, 0755) != 0) die(directory, errno);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) die("pipe2", errno);
  const pid_t pid = fork();
  if (pid < 0) die("fork", errno);
  if (pid == 0) {
    put(directory, "cgroup.procs", "0");
    if (dup2(ends[1], 1) < 0) die("dup2", errno);
    return 0;
  }
  close(ends[1]);
  *out = ends[0];
  return pid;
}

/// Ends everybody in the group. Returns the milliseconds until nobody is left.
static inline double kill_group(const char *directory) {
  char path[4200];
  snprintf(path, sizeof path, "%s/cgroup.events", directory);
  const int events = open(path, O_RDONLY | O_CLOEXEC);
  if (events < 0) die(path, errno);
  struct pollfd changed = {events, POLLPRI, 0};
  const double begin = now_ms();
  put(directory, "cgroup.kill", "1");
  while (populated(events)) poll(&changed, 1, 1);
  const double ms = now_ms() - begin;
  close(events);
  return ms;
}

/// The kernel may hold an empty group for a moment longer.
static inline void remove_group(const char *directory) {
  while (rmdir(directory) != 0) {
    if (errno != EBUSY) die(directory, errno);
    poll(NULL, 0, 1);
  }
}
