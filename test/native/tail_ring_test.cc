#include "core/tail_ring.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

using holdfast::core::TailRing;

namespace {

constexpr std::size_t kKiB = 1024;

// Writes up to text.size() bytes the way a read(2) would: as many as prepare() has room for. Returns how many.
std::size_t write_some(TailRing& ring, const char* text, std::size_t size) {
  std::span<std::byte> spans[TailRing::kMaxSpans];
  const int count = ring.prepare(size, spans);
  std::size_t done = 0;
  for (int i = 0; i < count && done < size; ++i) {
    const std::size_t part = std::min(size - done, spans[i].size());
    std::memcpy(spans[i].data(), text + done, part);
    done += part;
  }
  ring.publish(done);
  return done;
}

void write_all(TailRing& ring, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) done += write_some(ring, text.data() + done, text.size() - done);
}

std::string text_of(const TailRing::Snapshot& shot) {
  std::string text(shot.size(), '\0');
  shot.copy(reinterpret_cast<std::byte*>(text.data()));
  return text;
}

// A stream whose byte at each offset is known, cheap to write and to check. The period is a prime, so that no chunk
// looks like the one before it.
class Pattern {
 public:
  static constexpr std::size_t kPeriod = 65521;
  Pattern() {
    for (std::uint32_t i = 0; i < kPeriod; ++i) text_ += static_cast<char>(i * 2654435761U >> 16);
    while (text_.size() < kPeriod + TailRing::kMaxPrepare) text_ += text_.substr(0, kPeriod);
  }
  const char* at(std::uint64_t offset) const { return text_.data() + offset % kPeriod; }
  bool matches(const TailRing::Snapshot& shot) const {
    std::uint64_t offset = shot.begin;
    for (const auto span : shot.spans()) {
      if (std::memcmp(span.data(), at(offset), span.size()) != 0) return false;
      offset += span.size();
    }
    return offset == shot.end;
  }

 private:
  std::string text_;
};
const Pattern pattern;

std::string text_at(std::uint64_t offset, std::size_t size) {
  std::string text;
  while (text.size() < size) {
    text.append(pattern.at(offset + text.size()), std::min(size - text.size(), TailRing::kMaxPrepare));
  }
  return text;
}

}  // namespace

TEST_CASE("a new ring is empty and costs next to nothing") {
  TailRing ring(kKiB);
  const auto shot = ring.read(0);
  CHECK(shot.size() == 0);
  CHECK(!shot.lossy);
  CHECK(!shot.sealed);
  CHECK(shot.spans().empty());
  CHECK(ring.footprint() < 512);
}

TEST_CASE("a read gives the bytes from an offset to the end, and is lossy only before the window") {
  TailRing ring(4);
  write_all(ring, "abcdef");
  CHECK(ring.total() == 6);
  CHECK(ring.retained() == 4);
  for (const std::uint64_t from : {std::uint64_t{0}, std::uint64_t{1}}) {
    const auto shot = ring.read(from);
    CHECK(text_of(shot) == "cdef");
    CHECK(shot.begin == 2);
    CHECK(shot.lossy);
  }
  CHECK(text_of(ring.read(2)) == "cdef");
  CHECK(!ring.read(2).lossy);
  CHECK(text_of(ring.read(5)) == "f");
  for (const std::uint64_t from : {std::uint64_t{6}, std::uint64_t{7}, ~std::uint64_t{0}}) {
    const auto shot = ring.read(from);
    CHECK(shot.begin == 6);
    CHECK(shot.end == 6);
    CHECK(!shot.lossy);
  }
}

TEST_CASE("a window of 0 keeps nothing and counts everything") {
  TailRing ring(0);
  write_all(ring, text_at(0, 300 * kKiB));
  CHECK(ring.total() == 300 * kKiB);
  CHECK(ring.retained() == 0);
  CHECK(ring.read(0).lossy);
  CHECK(ring.read(0).begin == 300 * kKiB);
  CHECK(ring.footprint() <= TailRing::kSlack);
  ring.seal();
  CHECK(ring.footprint() < 2 * kKiB);
}

TEST_CASE("the largest window that can be asked for is just a large window") {
  TailRing ring(~std::uint64_t{0});
  const auto text = text_at(0, 700 * kKiB);
  write_all(ring, text);
  CHECK(text_of(ring.read(0)) == text);
}

TEST_CASE("prepare gives the same memory until something is published") {
  TailRing ring(64 * kKiB);
  write_all(ring, text_at(0, 100 * kKiB));
  std::span<std::byte> one[TailRing::kMaxSpans], two[TailRing::kMaxSpans];
  const int count = ring.prepare(64 * kKiB, one);
  CHECK(ring.prepare(64 * kKiB, two) == count);
  for (int i = 0; i < count; ++i) {
    CHECK(one[i].data() == two[i].data());
    CHECK(one[i].size() == two[i].size());
  }
  ring.publish(0);
  ring.prepare(64 * kKiB, two);
  CHECK(one[0].data() == two[0].data());
}

TEST_CASE("a stream grows into large reads, and a fast one gets what it wants") {
  TailRing ring(1024 * kKiB);
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 24; ++i) {
    std::span<std::byte> spans[TailRing::kMaxSpans];
    const int count = ring.prepare(TailRing::kMaxPrepare, spans);
    std::size_t size = 0;
    for (int k = 0; k < count; ++k) size += spans[k].size();
    CHECK(size <= TailRing::kMaxPrepare);
    sizes.push_back(size);
    ring.publish(size);
    CHECK(ring.footprint() <= ring.max_bytes() + TailRing::kSlack);
  }
  CHECK(sizes[0] == TailRing::kMinChunk);
  for (std::size_t i = 5; i < sizes.size(); ++i) CHECK(sizes[i] == TailRing::kMaxPrepare);
}

TEST_CASE("a finished stream of 200 bytes costs less than 2 KiB") {
  for (const std::uint64_t window : {std::uint64_t{200}, std::uint64_t{1} << 20, std::uint64_t{8} << 30}) {
    TailRing ring(window);
    const auto text = text_at(0, 200);
    write_all(ring, text);
    CHECK(ring.footprint() < 2 * kKiB);
    ring.seal();
    ring.seal();
    CHECK(ring.footprint() < kKiB);
    const auto shot = ring.read(0);
    CHECK(shot.sealed);
    CHECK(text_of(shot) == text);
  }
}

TEST_CASE("sealing gives back all that the window does not need, and no snapshot notices") {
  for (const std::uint64_t window : {1000U, 70'000U, 1'000'000U}) {
    TailRing ring(window);
    const auto text = text_at(0, 3'000'001);
    write_all(ring, text);
    CHECK(ring.footprint() <= window + TailRing::kSlack);
    const auto before = ring.read(0);
    ring.seal();
    const auto after = ring.read(0);
    CHECK(text_of(before) == text.substr(text.size() - window));
    CHECK(text_of(after) == text.substr(text.size() - window));
    CHECK(text_of(ring.read(text.size() - 1)) == text.substr(text.size() - 1));
    CHECK(!before.sealed);
    CHECK(after.sealed);
  }
  TailRing ring(1'000'000);
  write_all(ring, text_at(0, 3'000'001));
  ring.seal();
  CHECK(ring.footprint() < 1'000'000 + 8 * kKiB);
}

TEST_CASE("a snapshot keeps its bytes while the stream runs over them, and gives the memory back") {
  TailRing ring(256 * kKiB);
  std::uint64_t offset = 0;
  const auto write = [&](std::size_t size) {
    write_all(ring, text_at(offset, size));
    offset += size;
  };
  write(300 * kKiB);
  std::optional<TailRing::Snapshot> held = ring.read(0);
  const auto copy = text_of(*held);
  for (int i = 0; i < 50; ++i) write(100'000);
  CHECK(text_of(*held) == copy);
  CHECK(ring.footprint() > ring.max_bytes() + TailRing::kSlack);  // it is counted
  auto moved = std::move(*held);
  CHECK(held->spans().empty());
  CHECK(held->size() == 0);
  held.reset();
  CHECK(text_of(moved) == copy);
  moved = ring.read(offset);
  CHECK(ring.footprint() <= ring.max_bytes() + TailRing::kSlack);
}

TEST_CASE("the cost of a read follows the bytes that it returns") {
  TailRing ring(64 * kKiB * kKiB);
  std::span<std::byte> spans[TailRing::kMaxSpans];
  while (ring.total() < ring.max_bytes()) {
    const int count = ring.prepare(TailRing::kMaxPrepare, spans);
    std::size_t size = 0;
    for (int i = 0; i < count; ++i) size += spans[i].size();
    ring.publish(size);
  }
  const std::string last = "the last line";
  write_all(ring, last);
  const auto shot = ring.read(ring.total() - last.size());
  CHECK(shot.spans().size() <= 2);
  CHECK(text_of(shot) == last);
}

TEST_CASE("a ring is at every moment what a string that is cut to its last bytes would be") {
  const std::uint64_t windows[] = {0,         1,           7,           100,          kKiB - 1,     kKiB, kKiB + 1,
                                   3 * kKiB,  63 * kKiB,   64 * kKiB,   64 * kKiB + 1, 100'000,     256 * kKiB,
                                   1'000'000, 1024 * kKiB, ~std::uint64_t{0}};
  unsigned seed = 1;
  for (const std::uint64_t window : windows) {
    CAPTURE(window);
    std::mt19937 random(seed++);
    TailRing ring(window);
    std::string model;
    std::vector<TailRing::Snapshot> held;
    const auto matches = [&](const TailRing::Snapshot& shot) {
      std::uint64_t offset = shot.begin;
      for (const auto span : shot.spans()) {
        if (std::memcmp(span.data(), model.data() + offset, span.size()) != 0) return false;
        offset += span.size();
      }
      return offset == shot.end;
    };
    const auto expect = [&](std::uint64_t from) {
      const std::uint64_t start = model.size() > window ? model.size() - window : 0;
      auto shot = ring.read(from);
      REQUIRE(shot.begin == std::clamp<std::uint64_t>(from, start, model.size()));
      REQUIRE(shot.end == model.size());
      REQUIRE(shot.lossy == (from < start));
      REQUIRE(matches(shot));
      return shot;
    };
    const auto any_offset = [&]() -> std::uint64_t {
      switch (random() % 4) {
        case 0: return 0;
        case 1: return random() % (model.size() + 3);
        case 2: return model.size() - std::min<std::size_t>(model.size(), random() % 2000);
        default: return model.size() - std::min<std::size_t>(model.size(), static_cast<std::size_t>(window));
      }
    };
    const int shift = static_cast<int>(random() % 4);
    for (int step = 0; step < 250; ++step) {
      switch (random() % 8) {
        case 0: held.push_back(expect(any_offset())); break;
        case 1:
          if (!held.empty()) {
            const std::size_t which = random() % held.size();
            REQUIRE(matches(held[which]));
            std::swap(held[which], held.back());
            held.pop_back();
          }
          break;
        case 2: expect(any_offset()); break;
        default: {
          const std::size_t size = random() % (TailRing::kMaxPrepare >> (shift * (random() % 4u)));
          const auto text = text_at(model.size(), size);
          const std::size_t done = write_some(ring, text.data(), size);
          model.append(text, 0, done);
        }
      }
      REQUIRE(ring.total() == model.size());
      REQUIRE(ring.retained() == std::min<std::uint64_t>(model.size(), window));
      if (held.empty() && window < ~std::uint64_t{0}) REQUIRE(ring.footprint() <= window + TailRing::kSlack);
    }
    ring.seal();
    expect(0);
    for (const auto& shot : held) REQUIRE(matches(shot));
    held.clear();
    for (int i = 0; i < 20; ++i) expect(any_offset());
    if (window < ~std::uint64_t{0}) REQUIRE(ring.footprint() <= window + TailRing::kSlack);
  }
}

namespace {

struct Race {
  std::uint64_t window;
  std::uint64_t bytes;
  std::size_t largest_write;
};

std::uint64_t run(const Race& race) {
  TailRing ring(race.window);
  std::atomic<std::uint64_t> wrong{0}, reads{0};
  const auto expect = [&](bool holds) {
    if (!holds) wrong.fetch_add(1);
  };
  const auto exact = [&](const TailRing::Snapshot& shot) {
    return shot.begin == shot.end - std::min(shot.end, race.window) && shot.lossy == (shot.begin > 0);
  };

  // Reads the whole window again and again.
  const auto window_reader = [&] {
    for (bool end = false; !end; reads.fetch_add(1)) {
      const auto shot = ring.read(0);
      end = shot.sealed;
      expect(exact(shot) && pattern.matches(shot));
    }
  };
  // Follows the stream and may fall behind.
  const auto follower = [&] {
    std::uint64_t next = 0;
    for (bool end = false; !end; reads.fetch_add(1)) {
      const auto shot = ring.read(next);
      end = shot.sealed && shot.end == ring.total();
      expect(shot.begin >= next && (shot.lossy || shot.begin == next));
      expect(pattern.matches(shot));
      next = shot.end;
    }
    expect(next == race.bytes);
  };
  // Holds snapshots while the producer runs over them.
  const auto holder = [&] {
    std::vector<TailRing::Snapshot> held;
    for (bool end = false; !end; reads.fetch_add(1)) {
      if (held.size() == 4) held.erase(held.begin());
      held.push_back(ring.read(0));
      end = held.back().sealed;
      for (const auto& shot : held) expect(pattern.matches(shot));
    }
  };

  std::thread readers[] = {std::thread(window_reader), std::thread(follower), std::thread(holder)};
  std::mt19937 random(7);
  for (std::uint64_t offset = 0; offset < race.bytes;) {
    const std::uint64_t size = std::min<std::uint64_t>(1 + random() % race.largest_write, race.bytes - offset);
    offset += write_some(ring, pattern.at(offset), static_cast<std::size_t>(size));
  }
  ring.seal();
  for (std::thread& reader : readers) reader.join();
  expect(pattern.matches(ring.read(0)));
  expect(ring.total() == race.bytes);
  expect(ring.footprint() <= race.window + TailRing::kSlack);
  CHECK(reads.load() >= 3);
  return wrong.load();
}

}  // namespace

TEST_CASE("readers on other threads see exact windows of a stream at full speed") {
  for (const Race& race : {Race{1, 32'000'000, TailRing::kMaxPrepare}, Race{5000, 8'000'000, 3000},
                           Race{200'000, 32'000'000, TailRing::kMaxPrepare}, Race{1 << 20, 32'000'000, 100'000},
                           Race{1 << 20, 300, 10}, Race{0, 8'000'000, 70'000}}) {
    CAPTURE(race.window);
    CAPTURE(race.bytes);
    CHECK(run(race) == 0);
  }
}
