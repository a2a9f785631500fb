// Collects one stream: overlapped reads from the pipe into the tail ring, and, once the tail overflows, into the spill file
// too. One read is under way at a time, and none while the file is written: a byte is in the file before it is in the ring,
// so window and file together are the complete stream at every moment. A slow disk stalls its own stream alone, because the
// file is written by a thread of its own.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

#include "core/fact_sink.h"
#include "core/tail_ring.h"
#include "reactor.h"
#include "spill_file.h"

namespace holdfast::windows {

struct SpillOptions {
  std::uint64_t max_bytes = 0;
  std::shared_ptr<SpillDirectory> directory;
};

struct SpillFacts {
  enum class State { none, open, complete, discarded, failed };
  State state = State::none;
  std::string path;       // only while it names a file that is complete so far
  core::Failure failure;  // with State::failed
};

class Collector : public std::enable_shared_from_this<Collector>, private Operation {
 public:
  Collector(std::uint64_t range, int stream, std::uint64_t max_bytes, std::optional<SpillOptions> spill,
            std::shared_ptr<core::FactSink> sink);

  // --- any thread ---
  const core::TailRing& ring() const { return ring_; }
  SpillFacts spill() const;
  /// Posts `grew` once when more than `beyond` bytes are there or the stream has ended.
  void watch(std::uint64_t beyond);

  // --- reactor thread ---
  /// Begins to read. `on_end` is called once, on the reactor thread, after the ring was sealed.
  void start(Reactor& reactor, Handle pipe, std::function<void()> on_end);
  /// Takes what is in the pipe, then ends the collection whoever still holds the other end. `on_end` follows.
  void close();
  /// Ends a collection that never started.
  void abandon();

 private:
  void complete(DWORD bytes, DWORD error) override;
  void next();
  void stored(std::size_t bytes);
  bool store(std::size_t bytes);
  bool append(std::span<const std::byte> bytes);
  void give_up(SpillFacts::State state, core::Failure failure);
  void set_spill(SpillFacts facts);
  void published();
  void end();

  const std::uint64_t range_;
  const int stream_;
  core::TailRing ring_;
  const std::optional<SpillOptions> spill_options_;
  const std::shared_ptr<core::FactSink> sink_;

  mutable std::mutex mutex_;  // guards the two below
  std::uint64_t watched_beyond_;
  SpillFacts spill_;

  Reactor* reactor_ = nullptr;
  Handle pipe_;
  std::function<void()> on_end_;
  std::shared_ptr<Collector> reading_;  // this, while the system may still write into the ring
  std::thread writer_;                  // while the file is written
  SpillFile file_;
  bool spill_over_ = false;
  bool closing_ = false;
  std::size_t taken_at_the_end_ = 0;
};

}  // namespace holdfast::windows
