// A piece of a stream that readers pin and one producer drops and uses again: the heart of the tail ring.
//
// The race: a reader loads a pointer to a chunk, and before it pins the chunk the producer drops it and uses it for
// other bytes. So a pin comes first and the question what was pinned comes second: a pinned chunk cannot change any
// more. Chunks (not their bytes) must therefore live as long as any reader can hold an old pointer.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace holdfast::core {

class Chunk {
 public:
  // --- the producer ---

  /// Gives a free chunk without bytes `size` of them. False when there is no memory.
  bool allocate(std::uint32_t size) {
    bytes_ = static_cast<std::byte*>(aligned(size) ? ::operator new(size, kAlign, std::nothrow) : ::operator new(size, std::nothrow));
    size_ = size;
    return bytes_ != nullptr;
  }
  /// Frees the bytes of a free chunk.
  void free_bytes() {
    std::byte* const bytes = std::exchange(bytes_, nullptr);
    if (aligned(size_)) {
      ::operator delete(bytes, kAlign);
    } else {
      ::operator delete(bytes);
    }
  }
  /// Makes a free chunk live: from now on it holds the stream's bytes from `begin` on. The count of pins stays as it
  /// is, because a late reader may just be in the middle of finding out that it was late.
  void activate(std::uint64_t begin) {
    begin_ = begin;
    state_.fetch_and(~kFree, std::memory_order_release);
  }
  enum class Dropped {
    free,    // the producer's again, bytes and all
    orphan,  // readers hold it: not to be touched any more, unpin() tells the last of them
  };
  /// Takes a live chunk back. `orphaned` has grown by its size before a reader can be told that it is the last.
  Dropped drop(std::atomic<std::size_t>& orphaned) {
    const std::size_t size = size_;  // not ours to read once it is an orphan
    for (;;) {
      std::uint32_t state = kLive;
      if (change(state, kFree)) return Dropped::free;
      orphaned.fetch_add(size, std::memory_order_relaxed);
      while (state != kLive) {
        if (change(state, state | kOrphan)) return Dropped::orphan;
      }
      orphaned.fetch_sub(size, std::memory_order_relaxed);  // the last pin went away meanwhile
    }
  }

  // --- readers, and the producer for live chunks ---

  /// True: the chunk holds all of [begin, end) and keeps it until unpin(). False: it does not, and nothing is pinned,
  /// but unpin() must be called all the same, because even a vain pin can be the last one.
  [[nodiscard]] bool pin(std::uint64_t begin, std::uint64_t end) {
    const std::uint32_t before = state_.fetch_add(1, std::memory_order_acq_rel);
    return (before & kFree) == 0 && begin_ <= begin && end <= begin_ + size_;
  }
  /// True: it was an orphan and this was its last pin; it is free, and the caller's alone.
  [[nodiscard]] bool unpin() {
    // One step for "one pin less" and "that was the last": in two, two readers could both believe to be the last, when a
    // late one pins and unpins in between.
    std::uint32_t state = state_.load(std::memory_order_relaxed);
    while (!change(state, state == (kOrphan | 1) ? kFree : state - 1)) {
    }
    return state == (kOrphan | 1);
  }

  // Of a pinned, live (producer) or free (owner) chunk. Written only while it is free, so plain fields are enough.
  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return begin_ + size_; }
  std::uint32_t size() const { return size_; }
  std::byte* bytes() const { return bytes_; }

  Chunk* next = nullptr;  // in a list of chunks without bytes

 private:
  // The phase and the number of pins in one word, so that the two cannot disagree. A count above zero proves nothing by
  // itself: the pins of late readers are in it too, in every phase.
  static constexpr std::uint32_t kLive = 0;
  static constexpr std::uint32_t kFree = 1U << 31;
  static constexpr std::uint32_t kOrphan = 1U << 30;
  // A cache line. Page alignment made no difference that could be measured, and costs the allocator a page a chunk.
  static constexpr std::align_val_t kAlign{64};

  /// Small chunks are not: glibc cannot use the memory of a freed aligned block for the next one of its size, and each of
  /// a thousand short outputs would leave a hole of a kilobyte.
  static constexpr bool aligned(std::uint32_t size) { return size >= 4096; }

  bool change(std::uint32_t& from, std::uint32_t to) {
    return state_.compare_exchange_strong(from, to, std::memory_order_acq_rel, std::memory_order_relaxed);
  }

  std::atomic<std::uint32_t> state_{kFree};
  std::uint32_t size_ = 0;
  std::uint64_t begin_ = 0;  // stream offset of bytes_[0]
  std::byte* bytes_ = nullptr;
};

}  // namespace holdfast::core
