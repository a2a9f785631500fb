#include "core/drain.h"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

using holdfast::core::Drain;
using Verdict = Drain::Verdict;

namespace {

constexpr std::uint64_t kGrace = 10;
constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

struct Event {
  enum Kind { exited, ended, tick, failed, wait } kind;
  unsigned stream;
  std::uint64_t now;
};

// The rule itself, read off the history alone: what has been settled after all of these events.
Verdict settled_after(const std::vector<Event>& history, unsigned streams) {
  std::uint64_t exit = kNever;
  std::vector<bool> open(streams, true);
  unsigned left = streams;
  for (const Event& event : history) {
    if (event.kind == Event::exited && exit == kNever) exit = event.now;
    if (event.kind == Event::ended && open[event.stream]) {
      open[event.stream] = false;
      --left;
    }
    if (event.kind == Event::failed && exit == kNever) return Verdict::failed;
    if (exit != kNever && left == 0) return Verdict::eof;
    if (exit != kNever && event.kind == Event::tick && event.now >= exit + kGrace) return Verdict::deadline;
  }
  return Verdict::none;
}

Verdict apply(Drain& drain, const Event& event) {
  switch (event.kind) {
    case Event::exited: return drain.exited(event.now);
    case Event::ended: return drain.stream_ended(event.stream);
    case Event::tick: return drain.tick(event.now);
    case Event::failed: return drain.failed();
    case Event::wait: break;
  }
  return Verdict::none;
}

// Every order of events to a depth: each node of the tree is a machine and the history that made it.
struct Explorer {
  unsigned streams;
  std::vector<Event> history{};
  std::uint64_t nodes = 0, wrong = 0;

  void explore(const Drain& machine, std::uint64_t now, int depth) {
    if (depth == 0) return;
    std::vector<Event> events{{Event::exited, 0, now}, {Event::tick, 0, now}, {Event::failed, 0, now}};
    for (unsigned stream = 0; stream < streams; ++stream) events.push_back({Event::ended, stream, now});
    events.push_back({Event::wait, 0, now + kGrace / 2});
    for (const Event& event : events) {
      const Verdict before = machine.verdict();
      Drain next = machine;
      const Verdict answer = apply(next, event);
      history.push_back(event);
      const Verdict expected = settled_after(history, streams);
      ++nodes;
      // The event that settles says so, no other event says anything, and what was settled stays.
      if (answer != (before == Verdict::none ? expected : Verdict::none)) ++wrong;
      if (next.verdict() != expected) ++wrong;
      if (next.deadline().has_value() != (expected == Verdict::none && exited())) ++wrong;
      if (must_still_settle(next)) ++wrong;
      explore(next, event.now, depth - 1);
      history.pop_back();
    }
  }

  bool exited() const {
    for (const Event& event : history) {
      if (event.kind == Event::exited) return true;
    }
    return false;
  }

  // Wherever it is, one tick at the time that it asked for settles a machine that waits for the grace.
  static bool must_still_settle(Drain machine) {
    if (!machine.deadline()) return false;
    return machine.tick(*machine.deadline() - 1) != Verdict::none ||
           machine.tick(*machine.deadline()) != Verdict::deadline || machine.deadline().has_value();
  }
};

}  // namespace

TEST_CASE("a drain settles exactly once, with the right verdict, in every order of events") {
  std::uint64_t nodes = 0;
  for (unsigned streams = 0; streams <= 3; ++streams) {
    Explorer explorer{.streams = streams};
    explorer.explore(Drain(streams, kGrace), 100, streams < 3 ? 7 : 6);
    CHECK(explorer.wrong == 0);
    nodes += explorer.nodes;
  }
  CHECK(nodes > 300'000);
}

TEST_CASE("a drain without streams settles at the exit") {
  Drain drain(0, kGrace);
  CHECK(drain.exited(5) == Verdict::eof);
  CHECK(!drain.deadline());
}

TEST_CASE("streams that end before the exit count") {
  Drain drain(2, kGrace);
  CHECK(drain.stream_ended(1) == Verdict::none);
  CHECK(drain.stream_ended(0) == Verdict::none);
  CHECK(!drain.settled());
  CHECK(drain.exited(5) == Verdict::eof);
}

TEST_CASE("a pipe that somebody holds delays a drain by the grace and no more") {
  Drain drain(2, kGrace);
  CHECK(drain.exited(5) == Verdict::none);
  CHECK(drain.stream_ended(0) == Verdict::none);
  CHECK(drain.deadline() == 15);
  CHECK(drain.tick(14) == Verdict::none);
  CHECK(drain.tick(15) == Verdict::deadline);
  CHECK(drain.stream_ended(1) == Verdict::none);
  CHECK(drain.verdict() == Verdict::deadline);
}

TEST_CASE("an owner that is lost after the exit does not take the exit back") {
  Drain drain(1, kGrace);
  CHECK(drain.exited(5) == Verdict::none);
  CHECK(drain.failed() == Verdict::none);
  CHECK(drain.stream_ended(0) == Verdict::eof);
}

TEST_CASE("a drain awaits as many streams as it can count, and a deadline never wraps") {
  Drain drain(Drain::kMaxStreams, kNever);
  CHECK(drain.exited(5) == Verdict::none);
  CHECK(drain.deadline() == kNever);
  for (unsigned stream = 0; stream + 1 < Drain::kMaxStreams; ++stream) CHECK(drain.stream_ended(stream) == Verdict::none);
  CHECK(drain.stream_ended(Drain::kMaxStreams - 1) == Verdict::eof);
}
