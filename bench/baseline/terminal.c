// The other half of bench/terminal, and its baselines in C.
//   terminal print N           raw mode, writes N bytes and ends
//   terminal echo              raw mode, writes back what it reads until it reads ^D
//   terminal read N COMMAND…   runs COMMAND on a terminal and reads all; {"ms":…,"bytes":…}
//   terminal ping N COMMAND…   N keystrokes to COMMAND, each sent when the one before has come back; [µs, …]
#define _GNU_SOURCE
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "common.h"

static void make_raw(void) {
  struct termios settings;
  if (tcgetattr(0, &settings) != 0) die("tcgetattr", errno);
  cfmakeraw(&settings);
  if (tcsetattr(0, TCSANOW, &settings) != 0) die("tcsetattr", errno);
}

static void write_all(int fd, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t n = write(fd, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) die("write", errno);
    bytes += n;
    size -= (size_t)n;
  }
}

static int print(long size) {
  static char block[65536];
  memset(block, 'x', sizeof block);
  make_raw();
  for (; size > 0; size -= (long)sizeof block) write_all(1, block, size < (long)sizeof block ? (size_t)size : sizeof block);
  return 0;
}

static int echo(void) {
  make_raw();
  write_all(1, "ready", 5);
  for (;;) {
    char block[4096];
    ssize_t n = read(0, block, sizeof block);
    if (n <= 0) return n < 0;
    write_all(1, block, (size_t)n);
    if (memchr(block, 4, (size_t)n) != NULL) return 0;
  }
}

static pid_t start(char **argv, int *master) {
  struct winsize size = {.ws_row = 24, .ws_col = 80};
  pid_t pid = forkpty(master, NULL, NULL, &size);
  if (pid < 0) die("forkpty", errno);
  if (pid == 0) {
    execv(argv[0], argv);
    _exit(127);
  }
  return pid;
}

static int read_all(long expect, char **argv) {
  static char block[65536];
  int master;
  double begin = now_ms();
  pid_t pid = start(argv, &master);
  long bytes = 0;
  for (;;) {
    ssize_t n = read(master, block, sizeof block);
    if (n > 0) bytes += n;
    else if (n == 0 || errno == EIO) break;
    else if (errno != EINTR) die("read", errno);
  }
  double ms = now_ms() - begin;
  if (reap(pid) != 0 || bytes != expect) die("the program did not print what it should", EIO);
  printf("{\"ms\":%.3f,\"bytes\":%ld}\n", ms, bytes);
  return 0;
}

static int ping(int count, char **argv) {
  char block[4096];
  int master;
  pid_t pid = start(argv, &master);
  for (ssize_t have = 0; have < 5;) {
    ssize_t n = read(master, block, sizeof block);
    if (n < 0) die("read", errno);
    have += n;
  }
  printf("[");
  for (int i = 0; i < count; i++) {
    double begin = now_ms();
    write_all(master, "k", 1);
    if (read(master, block, sizeof block) != 1) die("the keystroke did not come back alone", EIO);
    printf("%s%.1f", i == 0 ? "" : ",", (now_ms() - begin) * 1000);
    struct timespec pause = {0, 1000000};
    nanosleep(&pause, NULL);
  }
  printf("]\n");
  write_all(master, "\4", 1);
  reap(pid);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "print") == 0) return print(atol(argv[2]));
  if (argc == 2 && strcmp(argv[1], "echo") == 0) return echo();
  if (argc > 3 && strcmp(argv[1], "read") == 0) return read_all(atol(argv[2]), argv + 3);
  if (argc > 3 && strcmp(argv[1], "ping") == 0) return ping(atoi(argv[2]), argv + 3);
  fputs("usage: terminal print N | echo | read N COMMAND... | ping N COMMAND...\n", stderr);
  return 2;
}
