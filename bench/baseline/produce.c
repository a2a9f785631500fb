// produce BYTES [SIZE [hold|AT [TEXT]]]: a producer that writes BYTES in blocks of SIZE (65536, at most 1 MiB), one write(2)
// for each; blocks end in a line feed. On stderr: the size of the pipe that it wrote to. `hold`: then stays, with its pipe
// open. AT: begins at that monotonic time in milliseconds. TEXT: the bytes begin with it.
#define _GNU_SOURCE
#include "common.h"

static char block[1 << 20];

static void wait_until(double ms) {
  const struct timespec at = {(time_t)(ms / 1e3), (long)((ms - (double)(time_t)(ms / 1e3) * 1e3) * 1e6)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) {
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  const size_t size = argc > 2 ? strtoull(argv[2], NULL, 10) : 65536;
  const double at = argc > 3 ? strtod(argv[3], NULL) : 0;
  const size_t head = argc > 4 ? strlen(argv[4]) : 0;
  if (size < 1 || size > sizeof block || head > size) return 2;
  memset(block, 'x', size);
  block[size - 1] = '\n';
  if (head > 0) memcpy(block, argv[4], head);
  if (at > 0) wait_until(at);
  for (unsigned long long left = strtoull(argv[1], NULL, 10); left > 0;) {
    ssize_t n = write(1, block, left < size ? left : size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return 1;
    left -= (unsigned long long)n;
    if (head > 0) memset(block, 'x', head);
  }
  fprintf(stderr, "%d\n", fcntl(1, F_GETPIPE_SZ));
  if (argc > 3 && at == 0) pause();
  return 0;
}
