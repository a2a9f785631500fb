// The tail ring against a plain string: any order of fills, reads from any offset, snapshots that are kept, and the end.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <deque>
#include <string>

#include "core/tail_ring.h"
#include "fuzz.h"

using holdfast::core::TailRing;

namespace {

struct Kept {
  TailRing::Snapshot snapshot;
  std::string expected;
};

std::string text_of(const TailRing::Snapshot& snapshot) {
  std::string text(snapshot.size(), '\0');
  if (!text.empty()) snapshot.copy(reinterpret_cast<std::byte*>(text.data()));
  return text;
}

/// The byte of an offset, so that the model needs no memory.
char byte_at(std::uint64_t offset) { return static_cast<char>(offset * 2654435761u >> 24); }

std::string stream(std::uint64_t begin, std::uint64_t end) {
  std::string text;
  for (std::uint64_t at = begin; at < end; at++) text.push_back(byte_at(at));
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  FuzzedDataProvider input(bytes, size);
  const std::uint64_t max = input.ConsumeBool() ? input.ConsumeIntegralInRange<std::uint64_t>(0, 300'000) : input.ConsumeIntegralInRange<std::uint64_t>(0, 5000);
  TailRing ring(max);
  std::deque<Kept> kept;
  std::uint64_t total = 0;
  for (int steps = 0; input.remaining_bytes() > 0 && steps < 200 && total < 400'000; steps++) {
    switch (input.ConsumeIntegralInRange(0, 5)) {
      case 0:
      case 1: {
        if (ring.sealed()) break;
        std::span<std::byte> out[TailRing::kMaxSpans];
        const int spans = ring.prepare(input.ConsumeIntegralInRange<std::size_t>(0, 400'000), out);
        PROMISE(spans >= 1 && spans <= TailRing::kMaxSpans);
        std::size_t room = 0;
        for (int i = 0; i < spans; i++) room += out[i].size();
        PROMISE(room >= 1 && room <= TailRing::kMaxPrepare);
        const auto fill = input.ConsumeIntegralInRange<std::size_t>(0, room);
        std::size_t filled = 0;
        for (int i = 0; i < spans && filled < fill; i++) {
          for (std::size_t at = 0; at < out[i].size() && filled < fill; at++) out[i][at] = static_cast<std::byte>(byte_at(total + filled++));
        }
        ring.publish(fill);
        total += fill;
        break;
      }
      case 2:
      case 3: {
        const auto from = input.ConsumeIntegralInRange<std::uint64_t>(0, total + 10);
        TailRing::Snapshot snapshot = ring.read(from);
        const std::uint64_t window = total - std::min(total, max);
        PROMISE(snapshot.end == total);
        PROMISE(snapshot.begin == (from >= total ? total : std::max(from, window)));
        PROMISE(snapshot.lossy == (from < window));
        std::string expected = stream(snapshot.begin, snapshot.end);
        PROMISE(text_of(snapshot) == expected);
        if (kept.size() < 8) kept.push_back({std::move(snapshot), std::move(expected)});
        break;
      }
      case 4:
        if (kept.empty()) break;
        PROMISE(text_of(kept.front().snapshot) == kept.front().expected);
        kept.pop_front();
        break;
      case 5:
        if (!input.ConsumeBool()) break;
        ring.seal();
        PROMISE(ring.sealed());
        break;
    }
    PROMISE(ring.total() == total);
    PROMISE(ring.retained() == std::min(total, max));
  }
  for (const Kept& one : kept) PROMISE(text_of(one.snapshot) == one.expected);
  kept.clear();
  PROMISE(ring.footprint() <= max + max / 500 + TailRing::kSlack);
  return 0;
}
