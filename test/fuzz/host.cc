// What the host takes from a warden or supervisor, which may be anybody who has got hold of the socket: events in any order
// and of any content move a range without breaking a promise to its caller.
#include <fuzzer/FuzzedDataProvider.h>

#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>

#include "../explore/virtual_reactor.h"
#include "fuzz.h"
#include "platform/posix/range.h"
#include "platform/posix/reactor.h"
#include "platform/linux/warden_events.h"

using namespace holdfast;

namespace {

class Sink final : public core::FactSink {
 public:
  int ended = 0, settled = 0;
  void post(std::unique_ptr<core::Fact> fact) override {
    PROMISE(ended == 0);
    ended += fact->kind == core::Fact::Kind::ended;
    settled += fact->kind == core::Fact::Kind::settled || fact->kind == core::Fact::Kind::failed;
    PROMISE(settled <= 1);
  }
};

class Nobody final : public posix::Holder {
 public:
  void term() override {}
  void kill() override {}
  void release() override {}
  std::vector<pid_t> members() const override { return {}; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static posix::Reactor reactor;
  static int ends[2] = {-1, -1};
  if (ends[0] < 0) PROMISE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
  test::reset_time();
  FuzzedDataProvider input(bytes, size);
  posix::RangeRequest request;
  request.grace_ms = 100;
  request.kinds[0] = request.kinds[1] = posix::StreamKind::pipe;
  const auto sink = std::make_shared<Sink>();
  const auto range = std::make_shared<posix::Range>(1, std::move(request), sink);
  PROMISE(range->claim_launch());
  posix::Fd none[2];
  range->adopt(reactor, core::Owner::subreaper, std::make_shared<Nobody>(), none, posix::Fd());
  for (int packets = 0; packets < 8 && input.remaining_bytes() > 0; packets++) {
    std::string packet = input.ConsumeRandomLengthString(600);
    if (input.ConsumeBool() && packet.size() >= sizeof(warden::Header)) {
      const auto length = static_cast<std::uint32_t>(packet.size());
      std::memcpy(packet.data() + offsetof(warden::Header, size), &length, sizeof length);
    }
    if (packet.empty()) continue;
    PROMISE(::send(ends[0], packet.data(), packet.size(), 0) == static_cast<ssize_t>(packet.size()));
    linux_os::receive_all(ends[1], [&](const void* message, std::size_t length) {
      PROMISE(length <= packet.size() && length >= sizeof(warden::Header));
      if (!range->over()) linux_os::deliver(*range, message, length);
      return true;
    });
    if (input.ConsumeBool()) test::run_next_timer();
    const posix::RangeFacts facts = range->facts();
    PROMISE(facts.strays.listed.size() <= warden::kMaxListed && facts.escaped.listed.size() <= warden::kMaxListed);
  }
  for (int turns = 0; turns < 8 && test::run_next_timer(); turns++) {
  }
  if (!range->over()) range->lost("the end");
  for (int turns = 0; turns < 8 && test::run_next_timer(); turns++) {
  }
  return 0;
}
