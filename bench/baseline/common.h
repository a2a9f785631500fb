// What the baselines share: a clock, an end with a reason, and the start of the program that they read from.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static inline double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static inline double own_cpu_ms(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

static inline _Noreturn void die(const char *what, int error) {
  fprintf(stderr, "%s: %s\n", what, strerror(error));
  exit(1);
}

/// Starts `argv` with its stdout on a new pipe of `pipe_bytes` (0: as the system makes it); returns the reading end.
static inline int start_reading(char **argv, int pipe_bytes, pid_t *pid) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) die("pipe2", errno);
  if (pipe_bytes > 0 && fcntl(ends[0], F_SETPIPE_SZ, pipe_bytes) < 0) die("F_SETPIPE_SZ", errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  int error = posix_spawn(pid, argv[0], &actions, NULL, argv, environ);
  if (error != 0) die("posix_spawn", error);
  close(ends[1]);
  return ends[0];
}

static inline int reap(pid_t pid) {
  int status;
  while (waitpid(pid, &status, 0) != pid) {
    if (errno != EINTR) die("waitpid", errno);
  }
  return status;
}
