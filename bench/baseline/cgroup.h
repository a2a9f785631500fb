// A cgroup of one's own, for programs that own what they start as simply as can be.
#pragma once
#include <poll.h>
#include <stdbool.h>

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

/// Until nobody is in the group whose cgroup.events is open at `events`.
static inline void wait_empty(int events) {
  struct pollfd changed = {events, POLLPRI, 0};
  while (populated(events)) poll(&changed, 1, 1);
}

/// The kernel may hold an empty group for a moment longer.
static inline void remove_group(const char *directory) {
  while (rmdir(directory) != 0) {
    if (errno != EBUSY) die(directory, errno);
    poll(NULL, 0, 1);
  }
}
