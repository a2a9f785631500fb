// How a range is ended: TERM, a grace, KILL, and KILL again for as long as something is left.
//
// Takes time and events, says what to do, owns no timer. Times are milliseconds of one monotonic clock. Whatever the
// order of events: TERM at most once and never after a KILL, and nothing at all once the range is empty.
#pragma once
#include <cstdint>
#include <optional>

namespace holdfast::core {

class Escalation {
 public:
  /// What the caller does now, for the whole range. Never both.
  struct Actions {
    bool send_term = false;
    bool send_kill = false;
  };

  /// A KILL can miss: a member that is just being born, an owner that is busy. It is repeated after this long for as
  /// long as the range is not empty.
  static constexpr std::uint64_t kKillAgainMs = 1000;

  /// The polite end: TERM now, KILL when `grace_ms` is over. Only the first call counts; a later one, with whatever
  /// grace, neither restarts nor shortens the running one.
  Actions terminate(std::uint64_t now, std::uint64_t grace_ms);
  /// The end without grace, also in the middle of one. Each call asks for a KILL.
  Actions kill_now(std::uint64_t now);
  /// Time has passed. Too early is harmless; late gives one KILL, not one for each that was missed.
  Actions tick(std::uint64_t now);
  /// Nothing of the range is left.
  void empty();

  /// When tick() is wanted next; none while nothing is to be timed.
  std::optional<std::uint64_t> deadline() const { return deadline_; }
  bool is_empty() const { return phase_ == Phase::over; }
  /// terminate() or kill_now() was called before the range was empty.
  bool started() const { return started_; }

 private:
  enum class Phase { running, grace, killing, over };

  Phase phase_ = Phase::running;
  bool started_ = false;
  std::optional<std::uint64_t> deadline_;
};

}  // namespace holdfast::core
