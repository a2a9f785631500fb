// What happens around a leaf of the built warden.
#include <signal.h>

#include <cstring>

#include "warden_world.h"

namespace holdfast::test {

TEST_CASE("who leaves its leaf takes the proof away, is reported, and is ended where it is known") {
  World world(Hold::cgroup);
  const std::string mark = marker();
  const std::string leave = "echo $$ > " + cgroup_of_this_process() + "/cgroup.procs; ";
  const auto left = [&](size_t count) { return eventually([&] { return marked(mark).size() == count; }); };
  Run& neighbour = world.begin(world.command({"/bin/sleep", "300"}));

  SUBCASE("an orphan that has kept its session is known") {
    Command command = world.shell("sh -c '" + leave + "exec sleep 300' & sleep 0.3");
    command.env.push_back(mark);
    Run& run = world.begin(command);
    REQUIRE(world.host.wait([&] { return run.empty; }));
    CHECK(run.end.proven == 0);
    REQUIRE(run.escaped.size() == 1);
    CHECK(std::string(run.escaped[0].argv0) == "sleep");
    CHECK(run.escaped[0].ended_by == EndedBy::none);
    CHECK(left(1));  // nobody has asked for its end
  }
  SUBCASE("a descendant outside is found and ended with its range") {
    Command command = world.shell("setsid sh -c '" + leave + "sleep 300 & wait' & wait");
    command.env.push_back(mark);
    Run& run = world.begin(command);
    REQUIRE(at_rest(mark, 1, 3));
    world.host.kill(run);
    REQUIRE(world.host.wait([&] { return run.empty; }));
    CHECK(run.end.proven == 0);
    CHECK(run.escaped.size() >= 2);
    CHECK(left(0));
  }
  SUBCASE("an orphan of a session of its own is nobody's, until the host ends") {
    Command command = world.shell("setsid sh -c '" + leave + "exec sleep 300' & sleep 0.3");
    command.env.push_back(mark);
    Run& run = world.begin(command);
    REQUIRE(world.host.wait([&] { return run.empty; }));
    CHECK(run.end.proven == 0);
    REQUIRE(world.host.unattributed().size() == 1);
    CHECK(left(1));
  }
  world.host.kill(neighbour);
  REQUIRE(world.host.wait([&] { return neighbour.empty; }));
  CHECK(neighbour.end.proven == 0);
  CHECK(world.host.close_and_wait());
  CHECK(left(0));
}

TEST_CASE("groups that a command makes below its leaf are its own, and go with it") {
  World world(Hold::cgroup);
  const std::string mark = marker();
  Command command = world.shell(
      "d=" + world.host.subtree_path() + "/r1; mkdir -p $d/a/b; "
      "sh -c \"echo \\$\\$ > $d/a/b/cgroup.procs; sleep 300; :\" & echo made; wait");
  command.env.push_back(mark);
  Run& run = world.begin(command);
  REQUIRE(at_rest(mark, 1, 3));
  world.host.term(run);
  REQUIRE(world.host.wait([&] { return run.empty; }));
  CHECK(read_all(run.out) == "made\n");
  CHECK(run.end.proven == 1);
  CHECK(run.end.strays == 2);
  CHECK(marked(mark).empty());
  CHECK(world.host.close_and_wait());
  CHECK(access(world.host.subtree_path().c_str(), F_OK) != 0);
}

}  // namespace holdfast::test
