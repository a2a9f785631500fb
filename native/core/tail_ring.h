// The last `max_bytes` bytes of a stream, byte-exact, for one producer and any number of readers without locks.
//
// The window is a row of chunks whose boundaries are fixed stream offsets: 0, 1 KiB, 2, 4, ... 32 KiB, then every
// 32 KiB. So a short output costs a kilobyte, and the chunk of an offset is arithmetic, never a search. The producer
// fills memory that is not yet published (prepare), then publishes it with one release store. Chunks older than the
// window are recycled when their memory is needed. A reader pins the chunks that it wants; the producer never reuses a
// pinned chunk, it takes other memory instead, and the last reader frees the pinned one. So a reader never races the
// read(2) that fills the ring, and the producer never waits for a reader.
//
// Knows no OS and no Node. Offsets are whole-stream byte offsets; nothing here limits a stream's length.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace holdfast::core {

class TailRing {
 public:
  /// Most bytes that one prepare() hands out.
  static constexpr std::size_t kMaxPrepare = 192 * 1024;
  static constexpr std::size_t kMinChunk = 1024;
  static constexpr std::size_t kMaxChunk = 32 * 1024;
  static constexpr int kMaxSpans = 6;
  /// With no snapshot alive, footprint() is at most max_bytes + kSlack. Bookkeeping (40 to 64 bytes a chunk) is paid
  /// out of the slack; a window above about 32 MiB outgrows that and pays its bookkeeping, 1/500 of it, on top.
  static constexpr std::size_t kSlack = 224 * 1024;

  /// max_bytes: any value; 0 keeps nothing and counts everything. Allocates no chunk before the first prepare().
  explicit TailRing(std::uint64_t max_bytes);
  /// No snapshot of the ring may be alive any more, and no reader inside a call.
  ~TailRing();
  TailRing(const TailRing&) = delete;
  TailRing& operator=(const TailRing&) = delete;

  // --- the producer: one thread at a time (a hand-over between threads needs a happens-before of its own) ---

  /// Writable memory that continues the stream: fills `out` with at most kMaxSpans spans, returns how many. Together
  /// they are at least 1 and at most kMaxPrepare bytes. `want` is a wish: a fast stream gets it in full and rounded up
  /// to a chunk's end, so that its reads fall into step with the chunks; a stream that has published little gets
  /// little. Calling it again without publish() gives the same memory. Never after seal().
  /// Throws std::bad_alloc when not a single byte is to be had; the ring is unchanged then.
  int prepare(std::size_t want, std::span<std::byte> (&out)[kMaxSpans]);
  /// The first `n` bytes of the prepared memory are now part of the stream. `n` is at most what prepare() gave.
  void publish(std::size_t n) noexcept;
  /// No more bytes will come. Gives back what the window does not need (a finished stream of 200 bytes keeps about
  /// 200 bytes). Idempotent. Snapshots stay valid.
  void seal() noexcept;

  // --- readers: any thread ---

  std::uint64_t max_bytes() const noexcept { return max_bytes_; }
  /// Bytes ever published.
  std::uint64_t total() const noexcept;
  bool sealed() const noexcept;
  /// Bytes that a read from 0 would return now: min(total, max_bytes).
  std::uint64_t retained() const noexcept;
  /// Bytes of memory held, bookkeeping and chunks that only snapshots hold included.
  std::size_t footprint() const noexcept;

  /// A pinned piece of the window. Move-only; the destructor unpins, on any thread. Outlives the producer's progress
  /// and seal(), not the ring.
  class Snapshot;
  /// The bytes from `from` to the total at the time of the call. `from` beyond the total: empty, begin == end == total.
  /// `from` before the window: the whole window, lossy. Cost follows the bytes returned, not what is retained.
  /// Throws std::bad_alloc.
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
  /// The bytes in order; valid as long as the snapshot.
  const std::vector<std::span<const std::byte>>& spans() const noexcept;
  std::size_t size() const noexcept { return static_cast<std::size_t>(end - begin); }
  /// Copies size() bytes to `to`.
  void copy(std::byte* to) const noexcept;

 private:
  friend class TailRing;
  Snapshot() noexcept;
  struct Pins;
  std::unique_ptr<Pins> pins_;
};

}  // namespace holdfast::core
