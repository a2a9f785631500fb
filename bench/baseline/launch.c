// launch alone|together COUNT PROGRAM: what starting and reaping costs at the least: posix_spawn and waitpid, stdout and
// stderr on pipes that are read to their end. Prints JSON: for `alone` the milliseconds of each, for `together` of all.
#define _GNU_SOURCE
#include "common.h"

struct child {
  pid_t pid;
  int out, err;
};

static struct child start(char *program) {
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) die("pipe2", errno);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  struct child child = {0, out[0], err[0]};
  int error = posix_spawn(&child.pid, program, &actions, &attributes, (char *[]){program, NULL}, environ);
  if (error != 0) die("posix_spawn", error);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(out[1]);
  close(err[1]);
  return child;
}

static void finish(struct child child) {
  char block[4096];
  for (int fd = child.out;; fd = child.err) {
    while (read(fd, block, sizeof block) > 0) {
    }
    close(fd);
    if (fd == child.err) break;
  }
  if (reap(child.pid) != 0) die("status", ECHILD);
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  int count = atoi(argv[2]);
  printf("[");
  if (strcmp(argv[1], "alone") == 0) {
    for (int i = 0; i < count; i++) {
      double begin = now_ms();
      finish(start(argv[3]));
      printf("%s%.4f", i > 0 ? "," : "", now_ms() - begin);
    }
  } else {
    struct child *children = calloc((size_t)count, sizeof *children);
    double begin = now_ms();
    for (int i = 0; i < count; i++) children[i] = start(argv[3]);
    for (int i = 0; i < count; i++) finish(children[i]);
    printf("%.4f", now_ms() - begin);
  }
  printf("]\n");
  return 0;
}
