// collect BUFFER PIPE PROGRAM ARGUMENT...: what reading costs at the least: one pipe of PIPE bytes, one buffer of
// BUFFER bytes, a loop of read(2). Prints JSON: bytes, and milliseconds from the spawn to the reaped child.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static _Noreturn void die(const char *what, int error) {
  fprintf(stderr, "collect: %s: %s\n", what, strerror(error));
  exit(1);
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  size_t size = strtoull(argv[1], NULL, 10);
  char *buffer = malloc(size);
  memset(buffer, 0, size);
  int pipe_fds[2];
  double start = now_ms();
  if (pipe2(pipe_fds, O_CLOEXEC) != 0) die("pipe2", errno);
  if (fcntl(pipe_fds[0], F_SETPIPE_SZ, atoi(argv[2])) < 0) die("F_SETPIPE_SZ", errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], 1);
  pid_t pid;
  int error = posix_spawn(&pid, argv[3], &actions, NULL, argv + 3, environ);
  if (error != 0) die("posix_spawn", error);
  close(pipe_fds[1]);

  unsigned long long bytes = 0;
  for (;;) {
    ssize_t n = read(pipe_fds[0], buffer, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) die("read", errno);
    if (n == 0) break;
    bytes += (unsigned long long)n;
  }
  int status;
  if (waitpid(pid, &status, 0) != pid) die("waitpid", errno);
  printf("{\"bytes\":%llu,\"ms\":%.3f,\"status\":%d}\n", bytes, now_ms() - start, status);
  return 0;
}
