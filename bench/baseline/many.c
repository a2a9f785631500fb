// many BUFFER PIPE COUNT PROGRAM ARGUMENT...: what reading from many costs at the least: COUNT producers, each on a pipe of
// PIPE bytes, one epoll loop, one buffer of BUFFER bytes, one read for each event. Prints JSON: bytes, and
// the monotonic time in milliseconds when the last child was reaped.
#define _GNU_SOURCE
#include <sys/epoll.h>

#include "common.h"

enum { MOST = 256 };

int main(int argc, char **argv) {
  if (argc < 5 || atoi(argv[3]) > MOST) return 2;
  const size_t size = strtoull(argv[1], NULL, 10);
  const int count = atoi(argv[3]);
  char *buffer = malloc(size);
  memset(buffer, 0, size);
  pid_t pids[MOST];
  const int group = epoll_create1(EPOLL_CLOEXEC);
  if (group < 0) die("epoll_create1", errno);
  for (int i = 0; i < count; i++) {
    const int from = start_reading(argv + 4, atoi(argv[2]), &pids[i]);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = from};
    if (epoll_ctl(group, EPOLL_CTL_ADD, from, &event) != 0) die("epoll_ctl", errno);
  }
  unsigned long long bytes = 0;
  for (int open = count; open > 0;) {
    struct epoll_event events[64];
    const int n = epoll_wait(group, events, 64, -1);
    if (n < 0 && errno != EINTR) die("epoll_wait", errno);
    for (int i = 0; i < n; i++) {
      const ssize_t got = read(events[i].data.fd, buffer, size);
      if (got < 0) die("read", errno);
      bytes += (unsigned long long)got;
      if (got > 0) continue;
      close(events[i].data.fd);
      open--;
    }
  }
  int status = 0;
  for (int i = 0; i < count; i++) status |= reap(pids[i]);
  printf("{\"bytes\":%llu,\"ended\":%.3f,\"status\":%d}\n", bytes, now_ms(), status);
  return 0;
}
