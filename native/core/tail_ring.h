// The last `max_bytes` bytes of a stream, byte-exact, for one producer and any number of readers without locks.
//
// The window is a ring of chunks. Chunks grow from 1 KiB, doubling, to 64 KiB, so that a short output costs a kilobyte.
// The producer fills memory that is not yet published (prepare), then publishes it with one release store. Whole chunks
// that are older than the window are recycled. A reader pins the chunks that it wants; the producer never reuses a
// pinned chunk, it takes another one instead, and the last reader gives the pinned one back. So a reader never races
// the read(2) that fills the ring, and the producer never waits for a reader.
//
// Knows no OS and no Node. Offsets are whole-stream byte offsets; nothing here limits a stream's length.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace holdfast::core {

class TailRing {
 public:
  /// Most bytes that one prepare() hands out, and so the slack above max_bytes.
  static constexpr std::size_t kMaxPrepare = 192 * 1024;
  static constexpr std::size_t kMinChunk = 1024;
  static constexpr std::size_t kMaxChunk = 64 * 1024;
  static constexpr int kMaxSpans = 4;

  /// max_bytes: any value; 0 keeps nothing and counts everything. Allocates nothing before the first prepare().
  explicit TailRing(std::uint64_t max_bytes);
  ~TailRing();
  TailRing(const TailRing&) = delete;
  TailRing& operator=(const TailRing&) = delete;

  // --- the producer: one thread at a time (a hand-over between threads needs a happens-before of its own) ---

  /// Writable memory that continues the stream: fills `out` with at most kMaxSpans spans, returns how many. Together
  /// they are at least 1 and at most kMaxPrepare bytes: the producer asks for `want`, a fast stream gets it in full,
  /// a stream that has published little gets its first small chunk. Calling it again without publish() gives the same
  /// memory. Throws std::bad_alloc.
  int prepare(std::size_t want, std::span<std::byte> (&out)[kMaxSpans]);
  /// The first `n` bytes of the prepared memory are now part of the stream.
  void publish(std::size_t n);
  /// No more bytes will come. Gives back what the window does not need (a finished stream of 200 bytes keeps about
  /// 200 bytes). Idempotent. Readers stay valid.
  void seal();

  // --- readers: any thread ---

  std::uint64_t max_bytes() const { return max_bytes_; }
  /// Bytes ever published.
  std::uint64_t total() const;
  bool sealed() const;
  /// Bytes that a read from 0 would return now: min(total, max_bytes).
  std::uint64_t retained() const;
  /// Bytes of memory held, for tests and reports.
  std::size_t footprint() const;

  /// A pinned piece of the window. Move-only; the destructor unpins. Outlives the producer's progress, not the ring.
  class Snapshot;
  /// The bytes from `from` to the total at the time of the call. `from` beyond the total: empty, begin == end == total.
  /// `from` before the window: the whole window, lossy. Cost follows the bytes returned (and log of what is retained).
  Snapshot read(std::uint64_t from) const;

 private:
  struct Impl;
  std::uint64_t max_bytes_;
  std::unique_ptr<Impl> impl_;
};

class TailRing::Snapshot {
 public:
  Snapshot(Snapshot&&) noexcept;
  Snapshot& operator=(Snapshot&&) noexcept;
  ~Snapshot();

  std::uint64_t begin = 0;  // offset of the first byte
  std::uint64_t end = 0;    // offset after the last byte
  bool lossy = false;       // the wanted offset had slid out of the window
  bool sealed = false;      // the stream had ended: `end` is final
  /// The bytes in order.
  const std::vector<std::span<const std::byte>>& spans() const;
  std::size_t size() const { return static_cast<std::size_t>(end - begin); }
  /// Copies size() bytes to `to`.
  void copy(std::byte* to) const;

 private:
  friend class TailRing;
  Snapshot();
  struct Pins;
  std::unique_ptr<Pins> pins_;
};

}  // namespace holdfast::core
