// launch COUNT TIMES PROGRAM: what starting from another process costs at the least: a client sends requests, with the
// writing ends of two pipes, to a small server that has no memory to copy; the server makes the child by vfork and tells
// the client of its exit. COUNT at once, TIMES times. Prints JSON: milliseconds from the first request until every status
// has come and every pipe is at its end.
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include "common.h"

enum { MOST = 256 };

static void send_request(int to, const int ends[2]) {
  union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(2 * sizeof(int))];
  } control = {0};
  char what = 'x';
  struct iovec part = {&what, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(2 * sizeof(int));
  memcpy(CMSG_DATA(rights), ends, 2 * sizeof(int));
  if (sendmsg(to, &message, 0) != 1) die("sendmsg", errno);
}

/// False when the client has gone.
static bool take_request(int from, int ends[2]) {
  union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(2 * sizeof(int))];
  } control;
  char what;
  struct iovec part = {&what, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  const ssize_t n = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
  if (n < 0) die("recvmsg", errno);
  if (n == 0) return false;
  if (CMSG_FIRSTHDR(&message) == NULL) die("recvmsg", EMFILE);
  memcpy(ends, CMSG_DATA(CMSG_FIRSTHDR(&message)), 2 * sizeof(int));
  return true;
}

static void start(char *program, const int ends[2], int nothing, const sigset_t *mask) {
  char *const arguments[] = {program, NULL};
  const pid_t pid = vfork();
  if (pid < 0) die("vfork", errno);
  if (pid == 0) {
    setsid();
    if (dup2(nothing, 0) != 0 || dup2(ends[0], 1) != 1 || dup2(ends[1], 2) != 2) _exit(126);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execv(program, arguments);
    _exit(127);
  }
  close(ends[0]);
  close(ends[1]);
}

static _Noreturn void serve(int client, char *program) {
  sigset_t child, before;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, &before);
  struct pollfd watched[2] = {{client, POLLIN, 0}, {signalfd(-1, &child, SFD_CLOEXEC), POLLIN, 0}};
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (watched[1].fd < 0 || nothing < 0) die("serve", errno);
  for (;;) {
    if (poll(watched, 2, -1) < 0 && errno != EINTR) die("poll", errno);
    int ends[2];
    if (watched[0].revents != 0) {
      if (!take_request(client, ends)) exit(0);
      start(program, ends, nothing, &before);
    }
    if (watched[1].revents == 0) continue;
    struct signalfd_siginfo info;
    if (read(watched[1].fd, &info, sizeof info) != (ssize_t)sizeof info) die("signalfd", errno);
    for (int status; waitpid(-1, &status, WNOHANG) > 0;) {
      if (send(client, &status, sizeof status, 0) != (ssize_t)sizeof status) die("send", errno);
    }
  }
}

static double run(int server, int count) {
  static struct pollfd watched[2 * MOST + 1];
  const double begin = now_ms();
  for (int i = 0; i < count; i++) {
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) die("pipe2", errno);
    send_request(server, (int[]){out[1], err[1]});
    close(out[1]);
    close(err[1]);
    watched[2 * i] = (struct pollfd){out[0], POLLIN, 0};
    watched[2 * i + 1] = (struct pollfd){err[0], POLLIN, 0};
  }
  watched[2 * count] = (struct pollfd){server, POLLIN, 0};
  for (int left = 3 * count; left > 0;) {
    if (poll(watched, (nfds_t)(2 * count + 1), -1) < 0 && errno != EINTR) die("poll", errno);
    for (int i = 0; i <= 2 * count; i++) {
      if (watched[i].revents == 0) continue;
      char block[4096];
      const ssize_t n = read(watched[i].fd, block, sizeof block);
      if (n < 0) die("read", errno);
      if (i == 2 * count) {
        int status = -1;
        memcpy(&status, block, sizeof status);
        if (n != (ssize_t)sizeof status || status != 0) die("status", ECHILD);
        left--;
      } else if (n == 0) {
        close(watched[i].fd);
        watched[i].fd = -1;
        watched[i].revents = 0;
        left--;
      }
    }
  }
  return now_ms() - begin;
}

int main(int argc, char **argv) {
  if (argc < 4 || atoi(argv[1]) > MOST) return 2;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) die("socketpair", errno);
  const pid_t server = fork();
  if (server < 0) die("fork", errno);
  if (server == 0) {
    close(ends[0]);
    serve(ends[1], argv[3]);
  }
  close(ends[1]);
  printf("[");
  for (int i = 0; i < atoi(argv[2]); i++) printf("%s%.4f", i > 0 ? "," : "", run(ends[0], atoi(argv[1])));
  printf("]\n");
  close(ends[0]);
  return reap(server) == 0 ? 0 : 1;
}
