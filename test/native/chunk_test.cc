#include "core/chunk.h"

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

using holdfast::core::Chunk;

namespace {

constexpr std::uint32_t kSize = 1024;

// A live chunk of [begin, begin + kSize), and a test that owns up to whatever phase it leaves it in.
struct Live {
  explicit Live(std::uint64_t begin) {
    REQUIRE(chunk.allocate(kSize));
    chunk.activate(begin);
  }
  ~Live() {
    if (chunk.bytes() != nullptr) chunk.free_bytes();
  }
  Chunk::Dropped drop() { return chunk.drop(orphaned); }

  Chunk chunk;
  std::atomic<std::size_t> orphaned{0};
};

}  // namespace

TEST_CASE("a pin holds for what the chunk holds, and for nothing else") {
  Live live(5000);
  CHECK(live.chunk.pin(5000, 5000 + kSize));
  CHECK(live.chunk.pin(5001, 5002));
  CHECK(!live.chunk.pin(4999, 5001));
  CHECK(!live.chunk.pin(5001, 5001 + kSize));
  for (int pins = 4; pins > 0; --pins) CHECK(!live.chunk.unpin());
  CHECK(live.drop() == Chunk::Dropped::free);
}

TEST_CASE("a chunk that nobody pins is free when it is dropped") {
  Live live(0);
  CHECK(live.drop() == Chunk::Dropped::free);
  CHECK(live.orphaned == 0);
}

TEST_CASE("the last reader of a dropped chunk is told so, and only that one") {
  Live live(0);
  CHECK(live.chunk.pin(0, 1));
  CHECK(live.chunk.pin(0, 1));
  CHECK(live.drop() == Chunk::Dropped::orphan);
  CHECK(live.orphaned == kSize);
  CHECK(!live.chunk.unpin());
  CHECK(live.chunk.unpin());
}

TEST_CASE("a reader that comes too late gets nothing") {
  Live live(0);
  REQUIRE(live.drop() == Chunk::Dropped::free);
  SUBCASE("the chunk is free") { CHECK(!live.chunk.pin(0, 1)); }
  SUBCASE("the chunk holds other bytes by now") {
    live.chunk.activate(64 * 1024);
    CHECK(!live.chunk.pin(0, 1));
  }
  CHECK(!live.chunk.unpin());
}

TEST_CASE("a late pin survives that the chunk is used again under it") {
  Live live(0);
  REQUIRE(live.drop() == Chunk::Dropped::free);
  CHECK(!live.chunk.pin(0, 1));
  live.chunk.activate(2048);
  CHECK(live.chunk.pin(2048, 2049));
  CHECK(live.drop() == Chunk::Dropped::orphan);
  SUBCASE("the late reader leaves first") {
    CHECK(!live.chunk.unpin());
    CHECK(live.chunk.unpin());
  }
  SUBCASE("another late reader comes and finds the old bytes still there") {
    CHECK(!live.chunk.unpin());
    CHECK(live.chunk.pin(2048, 2049));
    CHECK(!live.chunk.unpin());
    CHECK(live.chunk.unpin());
  }
}

TEST_CASE("readers with old pointers never see a byte that they did not ask for") {
  // One producer uses few chunks again and again; readers always pin by a pointer and an offset of a moment ago, so
  // that most of them are late.
  constexpr std::size_t kChunks = 3;
  constexpr std::uint64_t kRounds = 60'000;
  struct Slot {
    std::atomic<Chunk*> chunk{nullptr};
    std::atomic<std::uint64_t> begin{0};
  };
  std::vector<Slot> slots(kChunks);
  std::atomic<Chunk*> returned{nullptr};
  std::atomic<std::size_t> orphaned{0};
  std::atomic<std::uint64_t> wrong{0}, pinned{0};
  std::atomic<bool> over{false};

  const auto give_back = [&](Chunk* chunk) {
    orphaned.fetch_sub(chunk->size());
    chunk->next = returned.load();
    while (!returned.compare_exchange_weak(chunk->next, chunk)) {
    }
  };
  const auto reader = [&] {
    for (std::size_t i = 0; !over.load(); i = (i + 1) % kChunks) {
      const std::uint64_t begin = slots[i].begin.load();
      Chunk* const chunk = slots[i].chunk.load();
      if (chunk == nullptr) continue;
      if (chunk->pin(begin, begin + kSize)) {
        pinned.fetch_add(1);
        std::uint64_t first, last;
        std::memcpy(&first, chunk->bytes(), sizeof first);
        std::memcpy(&last, chunk->bytes() + kSize - sizeof last, sizeof last);
        if (first != begin || last != begin) wrong.fetch_add(1);
      }
      if (chunk->unpin()) give_back(chunk);
    }
  };
  std::thread readers[] = {std::thread(reader), std::thread(reader)};

  std::vector<std::unique_ptr<Chunk>> all;
  Chunk* free = nullptr;
  // On a crowded machine the writer could be through before a reader has had its first turn.
  for (std::uint64_t round = 0; round < kRounds || (pinned == 0 && round < 1000 * kRounds); ++round) {
    Slot& slot = slots[round % kChunks];
    if (Chunk* old = slot.chunk.load(); old != nullptr && old->drop(orphaned) == Chunk::Dropped::free) {
      old->next = std::exchange(free, old);
    }
    if (free == nullptr) free = returned.exchange(nullptr);
    if (free == nullptr) {
      free = all.emplace_back(std::make_unique<Chunk>()).get();
      REQUIRE(free->allocate(kSize));
    }
    Chunk* const chunk = std::exchange(free, free->next);
    const std::uint64_t begin = round * kSize;
    std::memcpy(chunk->bytes(), &begin, sizeof begin);
    std::memcpy(chunk->bytes() + kSize - sizeof begin, &begin, sizeof begin);
    chunk->activate(begin);
    slot.begin.store(begin);
    slot.chunk.store(chunk);
    if (round % 1024 == 0) std::this_thread::yield();
  }
  over.store(true);
  for (std::thread& each : readers) each.join();
  CHECK(wrong == 0);
  CHECK(orphaned == 0);
  CHECK(pinned > 0);
  CHECK(all.size() <= kChunks + 2 + 1);  // each reader holds one at most: what is dropped comes back
  for (const auto& chunk : all) chunk->free_bytes();
}
