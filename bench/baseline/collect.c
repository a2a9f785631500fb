// collect BUFFER PIPE PROGRAM ARGUMENT...: what reading costs at the least: one pipe of PIPE bytes, one buffer of
// BUFFER bytes, a loop of read(2) that takes what is there as soon as it is there. Prints JSON: bytes, milliseconds from
// the spawn to the reaped child, and the CPU milliseconds of this reader.
#define _GNU_SOURCE
#include "common.h"

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  size_t size = strtoull(argv[1], NULL, 10);
  char *buffer = malloc(size);
  memset(buffer, 0, size);
  double start = now_ms();
  pid_t pid;
  int from = start_reading(argv + 3, atoi(argv[2]), &pid);
  unsigned long long bytes = 0;
  for (;;) {
    ssize_t n = read(from, buffer, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) die("read", errno);
    if (n == 0) break;
    bytes += (unsigned long long)n;
  }
  int status = reap(pid);
  printf("{\"bytes\":%llu,\"ms\":%.3f,\"cpuMs\":%.3f,\"status\":%d}\n", bytes, now_ms() - start, own_cpu_ms(), status);
  return 0;
}
