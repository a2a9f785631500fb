#include "platform/linux/blocked_call.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace holdfast::linux_os;
using Kind = BlockedCall::Kind;

namespace {

std::string line(int number, const char* arguments = "0x5 0x7ffd0010 0x40 0x0 0x0 0x0") {
  return std::to_string(number) + " " + arguments + " 0x7ffd0000 0x7f00\n";
}

BlockedCall x64(int number) { return parse_blocked_call(line(number).c_str(), Processor::x86_64); }
BlockedCall arm64(int number) { return parse_blocked_call(line(number).c_str(), Processor::aarch64); }

}  // namespace

TEST_CASE("a blocked call: reads name their descriptor on both processors") {
  for (const BlockedCall& call : {x64(0), x64(19), x64(275), x64(327), arm64(63), arm64(65), arm64(76), arm64(286)}) {
    CHECK(call.kind == Kind::read);
    CHECK(call.fd == 5);
  }
  const char* sent = "0x1 0x3 0x0 0x1000000 0x0 0x0";
  CHECK(parse_blocked_call(line(40, sent).c_str(), Processor::x86_64).fd == 3);
  CHECK(parse_blocked_call(line(71, sent).c_str(), Processor::aarch64).fd == 3);
}

TEST_CASE("a blocked call: waits for many descriptors name their set") {
  const char* arguments = "0x3 0x7ffd0010 0x0 0x0 0x0 0x0";
  for (const int number : {23, 270}) {
    const BlockedCall call = parse_blocked_call(line(number, arguments).c_str(), Processor::x86_64);
    CHECK(call.kind == Kind::select);
    CHECK(call.count == 3);
    CHECK(call.address == 0x7ffd0010);
  }
  CHECK(parse_blocked_call(line(72, arguments).c_str(), Processor::aarch64).kind == Kind::select);
  for (const BlockedCall& call : {x64(7), x64(271), arm64(73)}) {
    CHECK(call.kind == Kind::poll);
    CHECK(call.address == 5);
    CHECK(call.count == 0x7ffd0010);
  }
  for (const BlockedCall& call : {x64(232), x64(281), x64(441), arm64(22), arm64(441)}) {
    CHECK(call.kind == Kind::epoll);
    CHECK(call.fd == 5);
  }
  CHECK(x64(219).kind == Kind::restarted);
  CHECK(arm64(128).kind == Kind::restarted);
}

TEST_CASE("a blocked call: every other number is no wait for input, and no processor reads the other's numbers") {
  const std::set<int> known_x64{0, 7, 19, 23, 40, 219, 232, 270, 271, 275, 281, 327, 441};
  const std::set<int> known_arm64{22, 63, 65, 71, 72, 73, 76, 128, 286, 441};
  for (int number = 0; number < 600; number++) {
    CHECK((x64(number).kind != Kind::other) == known_x64.contains(number));
    CHECK((arm64(number).kind != Kind::other) == known_arm64.contains(number));
    CHECK(parse_blocked_call(line(number).c_str(), Processor::other).kind == Kind::other);
  }
}

TEST_CASE("a blocked call: lines without a call, or cut short, say nothing") {
  for (const char* text : {"running\n", "-1 0x7ffd0000 0x7f00\n", "", "0", "0 0x5", "0 0x5 0x6", "read 0x0 0x0 0x0 0x0", "-1 0x0 0x0 0x0 0x0"}) {
    CHECK(parse_blocked_call(text, Processor::x86_64).kind == Kind::other);
  }
}
