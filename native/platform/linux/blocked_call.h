// In which system call a thread is blocked, and which descriptors it waits for there: one line of
// /proc/<pid>/task/<tid>/syscall, decoded by the call numbers of its processor. Pure: no system call is made here.
#pragma once
#include <cstdint>

namespace holdfast::linux_os {

/// Of the kernel. A 32-bit program has other numbers; none of them reads as a wait for input by these tables, because its
/// arguments do not fit, so such a program is never said to wait.
enum class Processor { x86_64, aarch64, other };

constexpr Processor this_processor() {
#if defined(__x86_64__) && defined(__LP64__)
  return Processor::x86_64;
#elif defined(__aarch64__)
  return Processor::aarch64;
#else
  return Processor::other;
#endif
}

struct BlockedCall {
  enum class Kind {
    other,      // runs, or is in a call that reads no descriptor
    read,       // `fd` is read, or spliced or sent from
    select,     // the set of `count` bits at `address`
    poll,       // the array of `count` pollfds at `address`
    epoll,      // the set behind `fd`
    restarted,  // stopped and continued in some call with a time limit: a poll keeps its arguments, see `poll`
  };
  Kind kind = Kind::other;
  int fd = -1;
  std::uint64_t address = 0, count = 0;
};

/// `line` as the kernel gives it: "running", "-1 sp pc", or the number and six arguments. Anything else is `other`.
BlockedCall parse_blocked_call(const char* line, Processor processor);

}  // namespace holdfast::linux_os
