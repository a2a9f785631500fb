#include "core/escalation.h"

#include <doctest/doctest.h>

#include <limits>
#include <optional>

using holdfast::core::Escalation;
using Actions = Escalation::Actions;

namespace {

constexpr std::uint64_t kGrace = 10;
constexpr std::uint64_t kAgain = Escalation::kKillAgainMs;

bool quiet(Actions actions) { return !actions.send_term && !actions.send_kill; }

// What has happened on the way to a node of the tree.
struct Past {
  bool terminated = false, killed = false, empty = false;
  std::optional<std::uint64_t> grace_end;
  std::optional<std::uint64_t> last_kill;
  int terms = 0;
};

struct Explorer {
  std::uint64_t nodes = 0, wrong = 0;

  void expect(bool holds) {
    if (!holds) ++wrong;
  }

  void explore(const Escalation& machine, const Past& past, std::uint64_t now, int depth) {
    if (depth == 0) return;
    enum { terminate, terminate_shorter, kill, empty, tick, wait, wait_long, count };
    for (int event = 0; event < count; ++event) {
      Escalation next = machine;
      Past after = past;
      std::uint64_t time = now;
      Actions actions;
      switch (event) {
        case terminate:
        case terminate_shorter: {
          const std::uint64_t grace = event == terminate ? kGrace : kGrace / 2;
          actions = next.terminate(now, grace);
          const bool first = !past.terminated && !past.killed && !past.empty;
          expect(actions.send_term == first && !actions.send_kill);
          if (first) after.grace_end = now + grace;
          after.terminated = true;
          break;
        }
        case kill:
          actions = next.kill_now(now);
          expect(actions.send_kill == !past.empty && !actions.send_term);
          break;
        case empty: next.empty(); after.empty = true; break;
        case tick: {
          actions = next.tick(now);
          const bool grace_over = !past.last_kill && past.grace_end && now >= *past.grace_end;
          const bool again = past.last_kill && now >= *past.last_kill + kAgain;
          expect(actions.send_kill == (!past.empty && (grace_over || again)) && !actions.send_term);
          break;
        }
        case wait: time += kGrace / 2; break;
        case wait_long: time += kAgain / 2; break;
      }
      if (actions.send_term) ++after.terms;
      if (actions.send_kill) {
        after.killed = true;
        after.last_kill = now;
      }
      ++nodes;
      expect(after.terms <= 1);
      expect(!past.empty || quiet(actions));
      expect(!(actions.send_term && past.killed));
      expect(next.is_empty() == after.empty);
      expect(next.deadline().has_value() == (!after.empty && (after.grace_end || after.last_kill)));
      expect(!next.deadline() ||
             *next.deadline() == (after.last_kill ? *after.last_kill + kAgain : *after.grace_end));
      explore(next, after, time, depth - 1);
    }
  }
};

}  // namespace

TEST_CASE("an escalation sends TERM at most once and nothing after empty, in every order of events") {
  Explorer explorer;
  explorer.explore(Escalation(), Past(), 100, 7);
  CHECK(explorer.wrong == 0);
  CHECK(explorer.nodes > 900'000);
}

TEST_CASE("TERM, the grace, KILL, and KILL again every second until nothing is left") {
  Escalation escalation;
  CHECK(!escalation.deadline());
  CHECK(escalation.terminate(100, kGrace).send_term);
  CHECK(escalation.deadline() == 110);
  CHECK(quiet(escalation.tick(109)));
  CHECK(escalation.tick(110).send_kill);
  CHECK(escalation.deadline() == 110 + kAgain);
  CHECK(quiet(escalation.tick(110)));
  CHECK(escalation.tick(110 + kAgain).send_kill);
  escalation.empty();
  CHECK(!escalation.deadline());
  CHECK(quiet(escalation.tick(110 + 5 * kAgain)));
}

TEST_CASE("a second terminate does not restart the grace, nor does one after the KILL") {
  Escalation escalation;
  CHECK(escalation.terminate(100, kGrace).send_term);
  CHECK(quiet(escalation.terminate(105, kGrace)));
  CHECK(escalation.deadline() == 110);
  CHECK(escalation.tick(110).send_kill);
  CHECK(quiet(escalation.terminate(111, kGrace)));
}

TEST_CASE("emptiness inside the grace cancels the KILL") {
  Escalation escalation;
  CHECK(escalation.terminate(100, kGrace).send_term);
  escalation.empty();
  CHECK(quiet(escalation.tick(200)));
  CHECK(quiet(escalation.kill_now(200)));
}

TEST_CASE("terminating an empty range does nothing") {
  Escalation escalation;
  escalation.empty();
  CHECK(quiet(escalation.terminate(100, kGrace)));
  CHECK(!escalation.started());
}

TEST_CASE("a late tick gives one KILL, and a deadline never wraps") {
  Escalation escalation;
  CHECK(escalation.kill_now(100).send_kill);
  CHECK(escalation.tick(100 + 7 * kAgain).send_kill);
  CHECK(quiet(escalation.tick(100 + 7 * kAgain)));

  Escalation patient;
  CHECK(patient.terminate(100, std::numeric_limits<std::uint64_t>::max()).send_term);
  CHECK(patient.deadline() == std::numeric_limits<std::uint64_t>::max());
}
