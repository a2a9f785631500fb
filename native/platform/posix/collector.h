// Collects one stream: from the pipe into the tail ring, and, once the tail overflows, into the spill file too.
//
// Until then the reactor reads it. A stream that spills moves to a thread of its own (the pump), because a slow disk may
// stall the stream that spills and no other one. The pump writes a byte to the file before it publishes it in the ring,
// so window and file together are the complete stream at every moment. A stream whose file has failed or has grown over
// its cap comes back to the reactor.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "core/fact_sink.h"
#include "core/gather.h"
#include "core/tail_ring.h"
#include "spill_file.h"
#include "reactor.h"

namespace holdfast::posix {

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

class Collector : public std::enable_shared_from_this<Collector> {
 public:
  /// `stream` is 1 (stdout) or 2 (stderr).
  Collector(std::uint64_t range, int stream, std::uint64_t max_bytes, std::optional<SpillOptions> spill,
            std::shared_ptr<core::FactSink> sink);
  ~Collector();

  // --- any thread ---
  const core::TailRing& ring() const { return ring_; }
  SpillFacts spill() const;
  /// Posts `grew` once when more than `beyond` bytes are there or the stream has ended.
  void watch(std::uint64_t beyond);

  // --- reactor thread ---
  /// Begins to read `pipe` (non-blocking). `on_end` is called once, on the reactor thread, after the ring was sealed.
  void start(Reactor& reactor, Fd pipe, std::function<void()> on_end);
  /// Reads what is there now instead of letting it gather.
  void hurry();
  /// Takes what is in the pipe, then ends the collection whoever still holds the other end (a later writer gets
  /// SIGPIPE). `on_end` follows; for a stream that spills as soon as its pump has noticed.
  void close();
  /// Ends a collection that never started. Any thread, before start().
  void abandon();

 private:
  struct Pump;

  void read_pipe(bool to_the_end);
  void after_short_read(std::size_t bytes);
  void listen(bool on);
  void grow_pipe(int pipe);
  std::size_t pipe_capacity() const;
  void published();
  bool watched();
  void end();
  void hand_to_pump(std::size_t pending);
  void back_from_pump(std::unique_ptr<Pump> pump, bool ended);

  const std::uint64_t range_;
  const int stream_;
  core::TailRing ring_;
  const std::optional<SpillOptions> spill_options_;
  const std::shared_ptr<core::FactSink> sink_;

  mutable std::mutex mutex_;  // guards the two below
  std::uint64_t watched_beyond_;
  SpillFacts spill_;

  Reactor* reactor_ = nullptr;
  Fd pipe_;
  std::function<void()> on_end_;
  Reactor::WatchId watch_ = 0;
  Reactor::TimerId gathering_ = 0;
  std::unique_ptr<Pump> pump_;
  bool spill_over_ = false;  // the file is finished, for better or worse: never begin another one
  // Used by the reactor and the pump, one at a time like the pipe itself.
  core::Gather gather_;
  int pipe_size_ = 0;        // 0: not asked yet
  [[maybe_unused]] bool pipe_budget_ = true;  // false: the kernel refused to enlarge the pipe
};

}  // namespace holdfast::posix
