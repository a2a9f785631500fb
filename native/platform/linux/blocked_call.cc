#include "blocked_call.h"

#include <inttypes.h>
#include <stdio.h>

namespace holdfast::linux_os {

namespace {

// How the arguments of a call name what it waits for.
enum class Form { read_first, read_second, select, poll, epoll, restart };

struct Row {
  int x86_64, aarch64;  // -1: the processor does not have it
  Form form;
};

// recvmsg and recvfrom are not here: a terminal is no socket. Nor is io_uring_enter: the kernel does not show what the
// requests in flight are about, so such a reader is not recognised.
constexpr Row kCalls[] = {
    {0, 63, Form::read_first},    // read
    {19, 65, Form::read_first},   // readv
    {327, 286, Form::read_first}, // preadv2 without an offset
    {275, 76, Form::read_first},  // splice
    {40, 71, Form::read_second},  // sendfile, into a pipe
    {23, -1, Form::select},       // select
    {270, 72, Form::select},      // pselect6
    {7, -1, Form::poll},          // poll
    {271, 73, Form::poll},        // ppoll
    {232, -1, Form::epoll},       // epoll_wait
    {281, 22, Form::epoll},       // epoll_pwait
    {441, 441, Form::epoll},      // epoll_pwait2
    {219, 128, Form::restart},    // restart_syscall
};

const Row* find(int number, Processor processor) {
  for (const Row& row : kCalls) {
    const int own = processor == Processor::x86_64 ? row.x86_64 : row.aarch64;
    if (own == number) return &row;
  }
  return nullptr;
}

}  // namespace

BlockedCall parse_blocked_call(const char* line, Processor processor) {
  int number;
  std::uint64_t arg[3];
  const int fields = sscanf(line, "%d 0x%" SCNx64 " 0x%" SCNx64 " 0x%" SCNx64, &number, &arg[0], &arg[1], &arg[2]);
  // Outside a call the line is "-1 sp pc": its two numbers are no arguments.
  if (fields != 4 || number < 0 || processor == Processor::other) return {};
  const Row* row = find(number, processor);
  if (row == nullptr) return {};
  using Kind = BlockedCall::Kind;
  // Descriptors are 32 bits wide; the upper half of their registers is whatever was in it.
  const auto fd = [&](int at) { return static_cast<int>(static_cast<std::uint32_t>(arg[at])); };
  switch (row->form) {
    case Form::read_first: return {Kind::read, fd(0)};
    case Form::read_second: return {Kind::read, fd(1)};
    case Form::select: return {Kind::select, -1, arg[1], static_cast<std::uint32_t>(arg[0])};
    case Form::poll: return {Kind::poll, -1, arg[0], static_cast<std::uint32_t>(arg[1])};
    case Form::epoll: return {Kind::epoll, fd(0)};
    case Form::restart: return {Kind::restarted, -1, arg[0], static_cast<std::uint32_t>(arg[1])};
  }
  return {};
}

}  // namespace holdfast::linux_os
