// Host, warden or supervisor dies or is stopped.
#include <signal.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "warden_world.h"

namespace holdfast::test {

TEST_CASE("when the host dies, everything of it ends, and the warden with it") {
  const auto body = [](Hold hold) {
    World world(hold);
    const std::string mark = marker();
    for (int i = 0; i < 3; ++i) {
      Command command = world.shell(std::string(kDaemon) + "; trap '' TERM; sleep 300");
      command.env.push_back(mark);
      world.begin(command);
    }
    REQUIRE(at_rest(mark, 6, 9));
    const std::string path = hold == Hold::cgroup ? world.host.subtree_path() : "";
    CHECK(world.host.close_and_wait());
    CHECK(marked(mark).empty());
    if (!path.empty()) CHECK(access(path.c_str(), F_OK) != 0);
  };
  FOR_EACH_HOLD(body)
}

TEST_CASE("a supervisor that is killed leaves its members to the warden") {
  World world(Hold::subreaper);
  const std::string mark = marker();
  Command command = world.shell(std::string(kDaemon) + "; trap '' TERM; sleep 300");
  command.env.push_back(mark);
  Run& run = world.begin(command);
  REQUIRE(at_rest(mark, 2, 3));
  world.host.ask_warden(run, Kind::kill);
  REQUIRE(world.host.wait([&] { return run.empty; }));
  CHECK(run.exited);
  CHECK(run.exit.pid == run.pid);
  CHECK(run.signal() == SIGKILL);
  CHECK(run.end.proven == 0);
  CHECK(marked(mark).empty());
}

TEST_CASE("a command that died just before its supervisor has its exit told by the warden") {
  World world(Hold::subreaper);
  Run& run = world.begin(world.command({"/bin/sleep", "300"}));
  const int supervisor = parent_of(run.pid);
  // Stopped, so that the supervisor cannot fetch the status, and the warden meets both deaths in one turn.
  kill(world.host.pid(), SIGSTOP);
  kill(supervisor, SIGSTOP);
  REQUIRE(eventually([&] { return state_of(supervisor) == 'T'; }));
  kill(run.pid, SIGKILL);
  REQUIRE(eventually([&] { return state_of(run.pid) == 'Z'; }));
  kill(supervisor, SIGKILL);
  REQUIRE(eventually([&] { return state_of(supervisor) == 'Z'; }));
  kill(world.host.pid(), SIGCONT);
  REQUIRE(world.host.wait([&] { return run.empty; }));
  CHECK(run.exited);
  CHECK(run.exit.pid == run.pid);
  CHECK(run.signal() == SIGKILL);
}

TEST_CASE("when the warden dies, supervisors empty their ranges and report on their own channels") {
  World world(Hold::subreaper);
  const std::string mark = marker();
  Command command = world.shell(std::string(kDaemon) + "; sleep 300");
  command.env.push_back(mark);
  Run& run = world.begin(command);
  REQUIRE(at_rest(mark, 2, 3));
  kill(world.host.pid(), SIGKILL);
  REQUIRE(world.host.wait([&] { return run.empty; }));
  CHECK(run.end.proven == 1);
  CHECK(world.host.gone());
  CHECK(marked(mark).empty());
}

TEST_CASE("a supervisor that its own command stops is continued") {
  World world(Hold::subreaper);
  Run& run = world.run(world.shell("kill -STOP $PPID; exit 5"));
  CHECK(run.exit_code() == 5);
  CHECK(run.empty);
}

}  // namespace holdfast::test
