// stay [deaf]: writes a byte to stdout and stays until it is killed, at most ten minutes. `deaf`: TERM does not end it.
#define _GNU_SOURCE
#include <signal.h>

#include "common.h"

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) signal(SIGTERM, SIG_IGN);
  alarm(600);
  if (write(1, "x", 1) != 1) die("write", errno);
  for (;;) pause();
}
