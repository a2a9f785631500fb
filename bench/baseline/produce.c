// produce BYTES [SIZE [hold [TEXT]]]: a producer that writes BYTES in blocks of SIZE (65536, at most 1 MiB), one write(2) for each; blocks end
// in a line feed. On stderr: the size of the pipe that it wrote to. `hold`: then stays, with its pipe open.
// TEXT: the bytes begin with it.
#define _GNU_SOURCE
#include "common.h"

static char block[1 << 20];

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  size_t size = argc > 2 ? strtoull(argv[2], NULL, 10) : 65536;
  if (size < 1 || size > sizeof block) return 2;
  memset(block, 'x', size);
  block[size - 1] = '\n';
  const size_t head = argc > 4 ? strlen(argv[4]) : 0;
  if (head > size) return 2;
  if (head > 0) memcpy(block, argv[4], head);
  for (unsigned long long left = strtoull(argv[1], NULL, 10); left > 0;) {
    ssize_t n = write(1, block, left < size ? left : size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return 1;
    left -= (unsigned long long)n;
    if (head > 0) memset(block, 'x', head);
  }
  fprintf(stderr, "%d\n", fcntl(1, F_GETPIPE_SZ));
  if (argc > 3) pause();
  return 0;
}
