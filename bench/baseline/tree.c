// tree: a command of a hundred processes: itself, 9 children with 10 children each. Each writes a byte to stdout when it is
// there, and stays.
// tree kill COUNT DIRECTORY: starts that tree COUNT times in a cgroup of its own below DIRECTORY, writes to cgroup.kill when
// it is complete, and polls cgroup.events until nobody is left. Prints JSON: milliseconds of each.
#define _GNU_SOURCE
#include "cgroup.h"
#include "common.h"

enum { CHILDREN = 9, GRANDCHILDREN = 10, ALL = 1 + CHILDREN + CHILDREN * GRANDCHILDREN };

static _Noreturn void stay(void) {
  if (write(1, "x", 1) != 1) die("write", errno);
  for (;;) pause();
}

static void grow(void) {
  for (int i = 0; i < CHILDREN; i++) {
    if (fork() != 0) continue;
    for (int j = 0; j < GRANDCHILDREN; j++) {
      if (fork() == 0) stay();
    }
    stay();
  }
  stay();
}

static double kill_once(const char *parent) {
  char directory[4096], bytes[ALL];
  int out;
  const pid_t pid = fork_into_group(parent, directory, &out);
  if (pid == 0) grow();
  for (ssize_t n, have = 0; have < ALL; have += n) {
    if ((n = read(out, bytes, sizeof bytes)) <= 0) die("read", errno);
  }
  const double ms = kill_group(directory);
  close(out);
  reap(pid);
  remove_group(directory);
  return ms;
}

int main(int argc, char **argv) {
  if (argc < 4) grow();
  printf("[");
  for (int i = 0; i < atoi(argv[2]); i++) printf("%s%.4f", i > 0 ? "," : "", kill_once(argv[3]));
  printf("]\n");
  return 0;
}
