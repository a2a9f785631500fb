// spill-uring BUFFER PIPE FILE PROGRAM ARGUMENT...: reading a stream and having it in a file by io_uring: while one buffer is
// written the other one is read into, and one call submits both and waits. Prints what spill.c prints.
#define _GNU_SOURCE
#include <linux/io_uring.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "common.h"

enum { ENTRIES = 8, READ = 1, WRITE = 2 };

static struct {
  int fd;
  _Atomic unsigned *sq_tail, *cq_head, *cq_tail;
  unsigned *sq_array, sq_mask, cq_mask, pending;
  struct io_uring_sqe *sqes;
  struct io_uring_cqe *cqes;
} ring;

static void *map(size_t size, off_t what) {
  void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd, what);
  if (at == MAP_FAILED) die("mmap", errno);
  return at;
}

static void make_ring(void) {
  struct io_uring_params facts = {0};
  ring.fd = (int)syscall(SYS_io_uring_setup, ENTRIES, &facts);
  if (ring.fd < 0) die("io_uring_setup", errno);
  char *sq = map(facts.sq_off.array + facts.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
  char *cq = map(facts.cq_off.cqes + facts.cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
  ring.sqes = map(facts.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
  ring.sq_tail = (_Atomic unsigned *)(sq + facts.sq_off.tail);
  ring.sq_array = (unsigned *)(sq + facts.sq_off.array);
  ring.sq_mask = *(unsigned *)(sq + facts.sq_off.ring_mask);
  ring.cq_head = (_Atomic unsigned *)(cq + facts.cq_off.head);
  ring.cq_tail = (_Atomic unsigned *)(cq + facts.cq_off.tail);
  ring.cq_mask = *(unsigned *)(cq + facts.cq_off.ring_mask);
  ring.cqes = (struct io_uring_cqe *)(cq + facts.cq_off.cqes);
}

static void ask(int opcode, int fd, char *from, size_t size, unsigned long long offset, int what) {
  const unsigned tail = atomic_load(ring.sq_tail), slot = tail & ring.sq_mask;
  ring.sqes[slot] = (struct io_uring_sqe){.opcode = (unsigned char)opcode, .fd = fd, .addr = (unsigned long long)(size_t)from, .len = (unsigned)size, .off = offset, .user_data = (unsigned long long)what};
  ring.sq_array[slot] = slot;
  atomic_store(ring.sq_tail, tail + 1);
  ring.pending++;
}

/// Submits what was asked and takes one answer.
static int answer(int *what) {
  while (atomic_load(ring.cq_head) == atomic_load(ring.cq_tail)) {
    const long n = syscall(SYS_io_uring_enter, ring.fd, ring.pending, 1, IORING_ENTER_GETEVENTS, NULL, 0);
    if (n < 0 && errno != EINTR) die("io_uring_enter", errno);
    if (n > 0) ring.pending -= (unsigned)n;
  }
  const unsigned head = atomic_load(ring.cq_head);
  const struct io_uring_cqe one = ring.cqes[head & ring.cq_mask];
  atomic_store(ring.cq_head, head + 1);
  *what = (int)one.user_data;
  if (one.res < 0) die(*what == READ ? "read" : "write", -one.res);
  return one.res;
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  const size_t size = strtoull(argv[1], NULL, 10);
  char *buffers[2] = {malloc(size), malloc(size)};
  for (int i = 0; i < 2; i++) memset(buffers[i], 0, size);
  make_ring();
  double start = now_ms();
  const int file = open(argv[3], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) die(argv[3], errno);
  pid_t pid;
  const int from = start_reading(argv + 4, atoi(argv[2]), &pid);
  unsigned long long read_so_far = 0, written = 0;
  size_t full = 0, done = 0; // of the buffer that is written
  int into = 0;
  bool over = false, reading = true, writing = false;
  ask(IORING_OP_READ, from, buffers[into], size, (unsigned long long)-1, READ);
  size_t fresh = 0; // read, and not yet being written
  while (reading || writing) {
    int what;
    const int n = answer(&what);
    if (what == READ) {
      reading = false;
      fresh = (size_t)n;
      over = n == 0;
      read_so_far += fresh;
    } else {
      done += (size_t)n;
      written += (size_t)n;
      writing = done < full;
      if (writing) ask(IORING_OP_WRITE, file, buffers[1 - into] + done, full - done, written, WRITE);
    }
    if (reading || writing || fresh == 0) continue;
    full = fresh;
    fresh = done = 0;
    into = 1 - into;
    writing = true;
    ask(IORING_OP_WRITE, file, buffers[1 - into], full, written, WRITE);
    reading = !over;
    if (reading) ask(IORING_OP_READ, from, buffers[into], size, (unsigned long long)-1, READ);
  }
  if (close(file) != 0) die("close", errno);
  int status = reap(pid);
  printf("{\"bytes\":%llu,\"ms\":%.3f,\"status\":%d}\n", read_so_far == written ? written : 0, now_ms() - start, status);
  return 0;
}
