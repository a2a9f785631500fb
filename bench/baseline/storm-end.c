// storm-end DIRECTORY COMMAND…: starts the command in a cgroup of its own below DIRECTORY, and when it has written a byte to
// stdout, writes to cgroup.kill and polls cgroup.events until nobody is left. Meanwhile a thread sleeps a millisecond, again
// and again. Prints JSON: milliseconds until nobody is left, and by how much that thread was late, p99.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "cgroup.h"

enum { MOST = 100000 };
static double late[MOST];
static int count;
static atomic_bool over;

static void *tick(void *unused) {
  const struct timespec nap = {0, 1000000};
  while (!over && count < MOST) {
    const double begin = now_ms();
    nanosleep(&nap, NULL);
    late[count++] = now_ms() - begin - 1;
  }
  return unused;
}

static int compare(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  // Zombies count for the limit of the next storm, and pid 1 may take its time.
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) die("prctl", errno);
  char directory[4096], path[4200], byte;
  snprintf(directory, sizeof directory, "%s/bench-%d", argv[1], (int)getpid());
  if (mkdir(directory, 0755) != 0) die(directory, errno);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) die("pipe2", errno);
  const pid_t pid = fork();
  if (pid == 0) {
    put(directory, "cgroup.procs", "0");
    dup2(ends[1], 1);
    execv(argv[2], argv + 2);
    die(argv[2], errno);
  }
  close(ends[1]);
  if (read(ends[0], &byte, 1) != 1) die("read", errno);
  snprintf(path, sizeof path, "%s/cgroup.events", directory);
  const int events = open(path, O_RDONLY | O_CLOEXEC);
  if (events < 0) die(path, errno);
  pthread_t ticker;
  if (pthread_create(&ticker, NULL, tick, NULL) != 0) die("pthread_create", errno);
  const double begin = now_ms();
  put(directory, "cgroup.kill", "1");
  wait_empty(events);
  const double ms = now_ms() - begin;
  over = true;
  pthread_join(ticker, NULL);
  while (wait(NULL) > 0) continue;
  remove_group(directory);
  qsort(late, (size_t)count, sizeof *late, compare);
  printf("{\"ms\":%.4f,\"delayP99Ms\":%.4f}\n", ms, count == 0 ? 0 : late[count * 99 / 100]);
  return 0;
}
