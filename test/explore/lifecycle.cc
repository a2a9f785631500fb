// holdfast-explore [DEPTH]: every order in which the events of a range can come, to a depth, each with a new range. Prints
// the number of orders and of states; 1 and the first order that breaks a promise, when one does.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_set>
#include <vector>

#include "world.h"

namespace holdfast::test {

namespace {

struct Explorer {
  int depth;
  std::vector<Event> path;
  std::unordered_set<std::string> states;
  unsigned long long orders = 0, steps = 0;

  bool replay(World& world) {
    for (const Event event : path) {
      world.happen(event);
      steps++;
    }
    return world.broken().empty();
  }

  bool blame(const World& world) const {
    std::printf("broken: %s\n  after:", world.broken().c_str());
    for (const Event event : path) std::printf(" %s", name(event));
    std::printf("\n");
    return false;
  }

  // A range cannot be copied, so each order is played from its beginning.
  bool explore() {
    World world;
    if (!replay(world)) return blame(world);
    orders++;
    states.insert(world.digest());
    std::vector<Event> possible;
    for (int event = 0; event < static_cast<int>(Event::count); event++) {
      if (world.can(static_cast<Event>(event))) possible.push_back(static_cast<Event>(event));
    }
    world.finish();
    if (!world.broken().empty()) return blame(world);
    if (static_cast<int>(path.size()) == depth) return true;
    for (const Event event : possible) {
      path.push_back(event);
      if (!explore()) return false;
      path.pop_back();
    }
    return true;
  }
};

}  // namespace

int explore(int depth) {
  Explorer explorer{.depth = depth, .path = {}, .states = {}};
  const bool kept = explorer.explore();
  std::printf("lifecycle: %llu orders of events to depth %d, %zu states, %llu steps: %s\n", explorer.orders, depth, explorer.states.size(), explorer.steps,
              kept ? "every promise kept" : "a promise was broken");
  return kept ? 0 : 1;
}

}  // namespace holdfast::test

int main(int count, char** arguments) { return holdfast::test::explore(count > 1 ? std::atoi(arguments[1]) : 6); }
