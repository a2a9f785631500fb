// ticks COUNT MS: writes a line COUNT times, one each MS milliseconds: the monotonic time in milliseconds.
#define _GNU_SOURCE
#include "common.h"

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  const struct timespec nap = {0, atoi(argv[2]) * 1000000L};
  for (int i = 0; i < atoi(argv[1]); i++) {
    nanosleep(&nap, NULL);
    char line[64];
    const int length = snprintf(line, sizeof line, "%.4f\n", now_ms());
    if (write(1, line, (size_t)length) != length) die("write", errno);
  }
  return 0;
}
