// leave MS: ends at once and leaves a grandchild in a session of its own, which ends after MS milliseconds and prints,
// as its last act, the monotonic time in milliseconds.
// leave MS wait COUNT: the same under a child subreaper that waits in waitpid(2) until nobody is left, COUNT times.
// Prints JSON: milliseconds from that last act to the answer that nobody is left.
#define _GNU_SOURCE
#include <sys/prctl.h>

#include "common.h"

static void leave(const char *ms, int out) {
  if (fork() != 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  const struct timespec nap = {atoi(ms) / 1000, atoi(ms) % 1000 * 1000000L};
  nanosleep(&nap, NULL);
  char text[64];
  const int length = snprintf(text, sizeof text, "%.4f\n", now_ms());
  _exit(write(out, text, (size_t)length) == length ? 0 : 1);
}

static double gap(const char *ms) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) die("pipe2", errno);
  leave(ms, ends[1]);
  while (wait(NULL) > 0 || errno == EINTR) {
  }
  const double nobody = now_ms();
  char text[64] = {0};
  if (read(ends[0], text, sizeof text - 1) <= 0) die("read", errno);
  close(ends[0]);
  close(ends[1]);
  return nobody - strtod(text, NULL);
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  if (argc < 4) {
    leave(argv[1], 1);
    return 0;
  }
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) die("PR_SET_CHILD_SUBREAPER", errno);
  printf("[");
  for (int i = 0; i < atoi(argv[3]); i++) printf("%s%.4f", i > 0 ? "," : "", gap(argv[1]));
  printf("]\n");
  return 0;
}
