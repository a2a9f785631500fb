// spill rw|tee BUFFER PIPE FILE PROGRAM ARGUMENT...: what it costs at the least to have a stream in a file and to have
// read it too. `rw`: read(2) into a buffer, write(2) from it. `tee`: tee(2) into a second pipe and splice(2) from there
// into the file, and read(2) what was duplicated. Prints JSON: bytes, and milliseconds from the spawn to the closed file
// and the reaped child.
#define _GNU_SOURCE
#include "common.h"

static void all(int (*step)(size_t), size_t left) {
  while (left > 0) left -= (size_t)step(left);
}

static char *buffer;
static size_t size;
static int from, file, second[2];
static size_t at;

static int write_some(size_t left) {
  ssize_t n = write(file, buffer + at, left);
  if (n < 0) die("write", errno);
  at += (size_t)n;
  return (int)n;
}

static int splice_some(size_t left) {
  ssize_t n = splice(second[0], NULL, file, NULL, left, SPLICE_F_MOVE);
  if (n <= 0) die("splice", n < 0 ? errno : EIO);
  return (int)n;
}

static int read_some(size_t left) {
  ssize_t n = read(from, buffer, left < size ? left : size);
  if (n <= 0) die("read", n < 0 ? errno : EIO);
  return (int)n;
}

int main(int argc, char **argv) {
  if (argc < 6) return 2;
  int tees = strcmp(argv[1], "tee") == 0;
  size = strtoull(argv[2], NULL, 10);
  buffer = malloc(size);
  memset(buffer, 0, size);
  double start = now_ms();
  file = open(argv[4], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) die(argv[4], errno);
  if (tees && pipe2(second, O_CLOEXEC) != 0) die("pipe2", errno);
  if (tees && fcntl(second[0], F_SETPIPE_SZ, atoi(argv[3])) < 0) die("F_SETPIPE_SZ", errno);
  pid_t pid;
  from = start_reading(argv + 5, atoi(argv[3]), &pid);
  unsigned long long bytes = 0;
  for (;;) {
    ssize_t n = tees ? tee(from, second[1], size, 0) : read(from, buffer, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) die(tees ? "tee" : "read", errno);
    if (n == 0) break;
    bytes += (unsigned long long)n;
    at = 0;
    all(tees ? splice_some : write_some, (size_t)n);
    if (tees) all(read_some, (size_t)n);
  }
  if (close(file) != 0) die("close", errno);
  int status = reap(pid);
  printf("{\"bytes\":%llu,\"ms\":%.3f,\"status\":%d}\n", bytes, now_ms() - start, status);
  return 0;
}
