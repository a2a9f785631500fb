// storm-end DIRECTORY COMMAND…: starts the command in a cgroup of its own below DIRECTORY, and when it has written a byte to
// stdout, writes to cgroup.kill and polls cgroup.events until nobody is left. Meanwhile a thread sleeps a millisecond, again
// and again. Prints JSON: milliseconds until nobody is left, and by how much that thread was late, p99.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>

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
  char directory[4096], byte;
  int out;
  if (fork_into_group(argv[1], directory, &out) == 0) {
    execv(argv[2], argv + 2);
    die(argv[2], errno);
  }
  if (read(out, &byte, 1) != 1) die("read", errno);
  pthread_t ticker;
  if (pthread_create(&ticker, NULL, tick, NULL) != 0) die("pthread_create", errno);
  const double ms = kill_group(directory);
  over = true;
  pthread_join(ticker, NULL);
  while (wait(NULL) > 0) continue;
  remove_group(directory);
  qsort(late, (size_t)count, sizeof *late, compare);
  printf("{\"ms\":%.4f,\"delayP99Ms\":%.4f}\n", ms, count == 0 ? 0 : late[count * 99 / 100]);
  return 0;
}
