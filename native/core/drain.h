// When a command is done: after the end of file on every stream that it was given, or a grace after its exit, whichever
// is first. A descendant that keeps a pipe open, or a caller who does not read one, delays it by the grace and no more.
//
// Takes time and events, says what to do, owns no timer. Times are milliseconds of one monotonic clock. Whatever the
// order of events, exactly one of them is answered by something else than Verdict::none.
#pragma once
#include <cstdint>
#include <optional>

namespace holdfast::core {

class Drain {
 public:
  enum class Verdict {
    none,      // nothing to do
    eof,       // settle: every stream had ended
    deadline,  // settle: the grace was over first; seal what is collected and close our read ends
    failed,    // settle: the launch failed or its owner was lost; there are no exit facts
  };

  static constexpr unsigned kMaxStreams = 32;

  /// streams: how many to await, at most kMaxStreams (collected and piped; inherited and ignored ones do not count).
  Drain(unsigned streams, std::uint64_t grace_ms);

  /// The direct command was reaped. The grace begins. A second exit is ignored.
  Verdict exited(std::uint64_t now);
  /// Stream `index` (below `streams`) is at its end; before or after the exit, a repetition is harmless.
  Verdict stream_ended(unsigned index);
  /// Time has passed. Too early is harmless.
  Verdict tick(std::uint64_t now);
  /// There will be no exit. After exited() this is ignored: the exit facts are known, they are not taken back.
  Verdict failed();

  /// When tick() is wanted next; none while nothing is to be timed.
  std::optional<std::uint64_t> deadline() const;
  bool settled() const { return verdict_ != Verdict::none; }
  /// What was settled; none until then.
  Verdict verdict() const { return verdict_; }

 private:
  Verdict settle(Verdict verdict);

  std::uint32_t open_;  // a bit for each stream that has not ended
  std::uint64_t grace_ms_;
  std::optional<std::uint64_t> deadline_;
  Verdict verdict_ = Verdict::none;
};

}  // namespace holdfast::core
