// produce BYTES: one fast producer, 64 KiB a write. On stderr: the size of the pipe that it wrote to.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char block[65536];

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  memset(block, 'x', sizeof block);
  for (unsigned long long left = strtoull(argv[1], NULL, 10); left > 0;) {
    ssize_t n = write(1, block, left < sizeof block ? left : sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return 1;
    left -= (unsigned long long)n;
  }
  fprintf(stderr, "%d\n", fcntl(1, F_GETPIPE_SZ));
  return 0;
}
