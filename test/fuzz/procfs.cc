// Texts of /proc and cgroupfs, and what macOS tells of a process: whatever they say, only processes that may be signalled come out, and nothing is proven by
// a text that says nothing.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "core/process_arguments.h"
#include "fuzz.h"
#include "platform/linux/blocked_call.h"
#include "warden/cgroup.h"
#include "warden/procfs.h"

using namespace holdfast::warden;

namespace {

void stat_line(const std::string& text) {
  ProcessStat stat;
  if (!parse_stat(text.data(), text.size(), stat)) return;
  PROMISE(text.find(')') != std::string::npos);
  (void)stat.dead();
}

void pids(FuzzedDataProvider& input, const std::string& text) {
  std::vector<int> whole, pieces;
  PidParser one;
  one.feed(text.data(), text.size(), [&](std::int32_t pid) { whole.push_back(pid); });
  one.finish([&](std::int32_t pid) { whole.push_back(pid); });
  PidParser many;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t part = std::min<std::size_t>(input.ConsumeIntegralInRange<std::size_t>(1, 9), text.size() - at);
    many.feed(text.data() + at, part, [&](std::int32_t pid) { pieces.push_back(pid); });
    at += part;
  }
  many.finish([&](std::int32_t pid) { pieces.push_back(pid); });
  PROMISE(whole == pieces);
  for (const int pid : whole) PROMISE(pid > 1 && pid < PidSet::kMaxPid);
}

void groups(FuzzedDataProvider& input, const std::string& text) {
  const char* path = nullptr;
  std::size_t length = 0;
  if (parse_unified_path(text.data(), text.size(), path, length)) {
    PROMISE(path >= text.data() && path + length <= text.data() + text.size());
    PROMISE(length > 0 && std::memchr(path, '\n', length) == nullptr);
  }
  const std::string prefix = input.ConsumeRandomLengthString(40);
  const std::uint64_t range = range_of_path(text.data(), text.size(), prefix.data(), prefix.size());
  if (range != 0) PROMISE(text.compare(0, prefix.size(), prefix) == 0);
}

void counters(const std::string& text) {
  if (!parse_cgroup_events(text.data(), text.size()).populated) PROMISE(text.find("populated 0") != std::string::npos);
  CgroupUsage usage;
  parse_cpu_stat(text.data(), text.size(), usage);
  LimitFacts facts;
  parse_memory_events(text.data(), text.size(), facts);
  parse_throttled(text.data(), text.size(), facts);
}

void blocked(const std::string& text) {
  using holdfast::linux_os::BlockedCall;
  using holdfast::linux_os::Processor;
  for (const Processor processor : {Processor::x86_64, Processor::aarch64, Processor::other}) {
    const BlockedCall call = holdfast::linux_os::parse_blocked_call(text.c_str(), processor);
    if (processor == Processor::other) PROMISE(call.kind == BlockedCall::Kind::other);
    if (call.kind == BlockedCall::Kind::read || call.kind == BlockedCall::Kind::epoll) PROMISE(call.fd >= 0);
  }
}

void arguments(const std::string& text) {
  const auto found = holdfast::core::parse_process_arguments(text);
  const auto within = [&](std::string_view part) { return part.empty() || (part.data() >= text.data() && part.data() + part.size() <= text.data() + text.size()); };
  PROMISE(within(found.argv0) && within(found.environment));
  PROMISE(found.argv0.find('\0') == std::string_view::npos);
  PROMISE(found.environment.find(std::string_view("\0\0", 2)) == std::string_view::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  FuzzedDataProvider input(bytes, size);
  const int kind = input.ConsumeIntegralInRange(0, 5);
  const std::string text = input.ConsumeRandomLengthString(4096);
  switch (kind) {
    case 0: stat_line(text); break;
    case 1: pids(input, text); break;
    case 2: groups(input, text); break;
    case 3: counters(text); break;
    case 4: blocked(text); break;
    case 5: arguments(text); break;
  }
  return 0;
}
