// The system calls of the warden, raw: it has no libc, so that it is a few dozen KiB, starts in no time and cannot be
// changed by a preloaded library. Every call gives its result or a negative errno.
//
// Constants come from the kernel's headers, never from memory: O_DIRECTORY, for one, differs between x86_64 and
// aarch64. Only what the kernel keeps out of its user headers is written down here, with the reason beside it.
//
// For sources of the warden only: these headers clash with those of a libc (<fcntl.h>, <signal.h>).
#pragma once
#include <asm/errno.h>
#include <asm/poll.h>
#include <asm/signal.h>
#include <asm/ioctls.h>
#include <asm/socket.h>
#include <asm/unistd.h>
#include <linux/eventpoll.h>
#include <linux/fcntl.h>
#include <linux/limits.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/signalfd.h>
#include <linux/time.h>
#include <linux/uio.h>
#include <linux/wait.h>
#include <stddef.h>
#include <stdint.h>

namespace holdfast::warden::sys {

// What a system call takes as one argument: a number or an address.
template <class T>
inline long word(T value) {
  return static_cast<long>(value);
}
template <class T>
inline long word(T* address) {
  return reinterpret_cast<long>(address);
}
inline long word(decltype(nullptr)) { return 0; }

inline long enter6(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#else
#error "the warden knows x86_64 and aarch64"
#endif
}

#ifdef HOLDFAST_WARDEN_FAULTS
/// Test builds only (test/faults): whether this call fails instead of being made, with what it gives then. `c`, the size of
/// a transfer, may be made smaller.
bool fault(long number, long a, long b, long& c, long& result);
#else
inline bool fault(long, long, long, long&, long&) { return false; }
#endif

inline long call6(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  return fault(number, a, b, c, result) ? result : enter6(number, a, b, c, d, e, f);
}

/// A system call that makes a child which shares this memory and has a stack of its own: the child runs
/// `entry(argument)`, which must not return. The caller gets the result.
inline long call_cloning(long number, long a, long b, long c, long d, long e, void (*entry)(void*), void* argument) {
  long result;
  if (fault(number, a, b, c, result)) return result;
#if defined(__x86_64__)
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register void (*r12)(void*) __asm__("r12") = entry;
  register void* r13 __asm__("r13") = argument;
  __asm__ volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "mov %%r13, %%rdi\n\t"
      "call *%%r12\n\t"
      "hlt\n"
      "1:"
      : "=a"(result)
      : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r12), "r"(r13)
      : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register void (*x9)(void*) __asm__("x9") = entry;
  register void* x10 __asm__("x10") = argument;
  __asm__ volatile(
      "svc 0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x29, xzr\n\t"
      "mov x30, xzr\n\t"
      "mov x0, x10\n\t"
      "blr x9\n\t"
      "brk #0\n"
      "1:"
      : "+r"(x0)
      : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x9), "r"(x10)
      : "memory");
  return x0;
#endif
}

template <class A = long, class B = long, class C = long, class D = long, class E = long, class F = long>
inline long call(long number, A a = {}, B b = {}, C c = {}, D d = {}, E e = {}, F f = {}) {
  return call6(number, word(a), word(b), word(c), word(d), word(e), word(f));
}

// --- what <linux/...> and <asm/...> do not export ---

// <linux/socket.h> of the kernel proper; the same on every architecture.
inline constexpr int kScmRights = 1;
inline constexpr int kMsgCtrunc = 0x8;
inline constexpr int kMsgTrunc = 0x20;
inline constexpr int kMsgDontwait = 0x40;
inline constexpr int kMsgNosignal = 0x4000;
inline constexpr int kMsgCmsgCloexec = 0x40000000;

// What sendmsg and recvmsg take (struct user_msghdr and struct cmsghdr of the kernel).
struct Message {
  void* name;
  int name_length;
  struct iovec* vector;
  size_t vector_length;
  void* control;
  size_t control_length;
  unsigned flags;
};
struct ControlHead {
  size_t length;
  int level;
  int type;
};

/// Head of an entry of getdents64 (struct linux_dirent64); the NUL-terminated name follows.
struct DirectoryEntry {
  uint64_t inode;
  int64_t offset;
  uint16_t length;
  uint8_t type;
  const char* name() const { return reinterpret_cast<const char*>(this + 1); }
} __attribute__((packed));

/// The kernel's signal set on 64-bit machines: bit n - 1 for signal n.
using SignalSet = uint64_t;
inline constexpr SignalSet signal_bit(int number) { return SignalSet{1} << (number - 1); }
inline constexpr int kSignals = 64;

// --- thin wrappers, where a plain call() would be easy to get wrong ---

inline long close(int fd) { return call(__NR_close, fd); }
inline long read(int fd, void* to, size_t size) { return call(__NR_read, fd, to, size); }
inline long write(int fd, const void* from, size_t size) { return call(__NR_write, fd, from, size); }
inline long pread(int fd, void* to, size_t size, long offset) { return call(__NR_pread64, fd, to, size, offset); }
inline long openat(int dir, const char* path, int flags) { return call(__NR_openat, dir, path, flags | O_CLOEXEC, 0); }
inline long dup3(int from, int to, int flags) { return call(__NR_dup3, from, to, flags); }
inline long pipe(int (&ends)[2], int flags) { return call(__NR_pipe2, ends, flags | O_CLOEXEC); }
/// Fresh pages that nobody has touched; `flags` beside MAP_ANONYMOUS. nullptr when there is no memory.
inline void* map(size_t size, int flags) {
  const long at = call(__NR_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
  return at < 0 && at > -4096 ? nullptr : __builtin_bit_cast(void*, at);
}
inline long getpid() { return call(__NR_getpid); }
inline long kill(int pid, int signal) { return call(__NR_kill, pid, signal); }
inline long mask_signals(SignalSet set) {
  return call(__NR_rt_sigprocmask, SIG_SETMASK, &set, static_cast<SignalSet*>(nullptr), sizeof set);
}
inline long prctl(int option, const void* a) { return call(__NR_prctl, option, a, 0, 0, 0); }
inline long wait(int pid, int* status, int options, struct rusage* usage) {
  return call(__NR_wait4, pid, status, options, usage);
}
[[noreturn]] inline void exit(int status) {
  for (;;) call(__NR_exit_group, status);
}

/// The monotonic clock.
inline uint64_t now_us() {
  struct __kernel_timespec time = {0, 0};
  call(__NR_clock_gettime, CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000 + static_cast<uint64_t>(time.tv_nsec) / 1000;
}
inline uint64_t now_ms() { return now_us() / 1000; }
inline void sleep_us(long us) {
  struct __kernel_timespec time = {us / 1000000, (us % 1000000) * 1000};
  call(__NR_nanosleep, &time, nullptr);
}

inline bool exited(int status) { return (status & 0x7f) == 0; }
inline int exit_code(int status) { return (status >> 8) & 0xff; }
inline bool stopped(int status) { return (status & 0xff) == 0x7f; }

}  // namespace holdfast::warden::sys
