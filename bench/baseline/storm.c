// storm USER MOST SECONDS: forks without end whenever one of MOST processes is free, deaf to TERM and in sessions of their
// own. The limit is that of USER, so only root can start it. Writes a byte to stdout when it is full; ends by itself.
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>

#include "common.h"

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  const struct rlimit most = {(rlim_t)atol(argv[2]), (rlim_t)atol(argv[2])};
  const unsigned user = (unsigned)atoi(argv[1]), seconds = (unsigned)atoi(argv[3]);
  if (setgid(user) != 0 || setrlimit(RLIMIT_NPROC, &most) != 0 || setuid(user) != 0) die("setuid", errno);
  signal(SIGTERM, SIG_IGN);
  alarm(seconds);
  bool told = false;
  for (;;) {
    const pid_t pid = fork();
    if (pid == 0) {
      told = true;
      alarm(seconds);
      setsid();
    }
    if (pid >= 0) continue;
    if (!told && write(1, "x", 1) != 1) die("write", errno);
    told = true;
    const struct timespec nap = {0, 1000000};
    nanosleep(&nap, NULL);
  }
}
