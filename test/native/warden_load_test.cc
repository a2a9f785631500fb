// The built warden under load, on an old kernel, and with messages that make no sense.
#include <signal.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "warden_world.h"

namespace holdfast::test {

TEST_CASE("two hundred launches at once all end, and are told apart") {
  const auto body = [](Hold hold) {
    World world(hold);
    std::vector<Run*> runs;
    for (int i = 0; i < 200; ++i) {
      runs.push_back(&world.host.start(world.shell("exit " + std::to_string(i % 100))));
      world.host.wait([] { return true; });
    }
    REQUIRE(world.host.wait(
        [&] {
          for (const Run* run : runs) {
            if (!run->empty) return false;
          }
          return true;
        },
        30000));
    for (size_t i = 0; i < runs.size(); ++i) {
      CHECK(runs[i]->exit_code() == static_cast<int>(i % 100));
      CHECK(runs[i]->end.proven == 1);
    }
    CHECK(world.host.close_and_wait());
  };
  FOR_EACH_HOLD(body)
}

TEST_CASE("a host that does not read loses nothing") {
  World world(Hold::cgroup);
  std::vector<Run*> runs;
  for (int i = 0; i < 600; ++i) runs.push_back(&world.host.start(world.command({"/bin/true"})));
  REQUIRE(world.host.wait(
      [&] {
        for (const Run* run : runs) {
          if (!run->empty) return false;
        }
        return true;
      },
      60000));
  for (const Run* run : runs) {
    CHECK(run->started);
    CHECK(run->exited);
  }
}

TEST_CASE("without clone3, pidfds and close_range it does the same") {
  const auto body = [](Hold hold) {
    World world(hold, Kernel::old);
    CHECK(world.host.ready().has_clone3 == 0);
    CHECK(world.run(world.shell("exit 3")).exit_code() == 3);
    Command lost = world.command({"/bin/true"});
    lost.cwd = "/nowhere";
    CHECK(world.run(lost).failure.error == ENOENT);
    Run& fds = world.run(world.command({"/bin/ls", "/proc/self/fd"}));
    CHECK(read_all(fds.out) == "0\n1\n2\n3\n");  // 3 is how ls reads the directory
    for (const bool polite : {true, false}) {
      const std::string mark = marker();
      Command command = world.shell(std::string(kDaemon) + "; sleep 300");
      command.env.push_back(mark);
      Run& run = world.begin(command);
      REQUIRE(at_rest(mark, 2, 3));
      if (polite) world.host.term(run);
      if (!polite) world.host.kill(run);
      REQUIRE(world.host.wait([&] { return run.empty; }));
      CHECK(run.end.proven == 1);
      CHECK(run.end.strays == 2);
      CHECK(marked(mark).empty());
    }
    CHECK(world.host.close_and_wait());
  };
  FOR_EACH_HOLD(body)
}

TEST_CASE("messages that make no sense are dropped") {
  Host host;
  const char noise[] = "not a message";
  host.send_raw(noise, sizeof noise);
  Header lies = {Kind::ping, 0, 4000, 0};
  host.send_raw(&lies, sizeof lies);
  Header unknown = {static_cast<Kind>(9999), 0, sizeof unknown, 7};
  host.send_raw(&unknown, sizeof unknown);
  Header nobody = {Kind::kill, 0, sizeof nobody, 424242};
  host.send_raw(&nobody, sizeof nobody);
  LaunchRequest bare = {};
  bare.header = {Kind::launch, 0, sizeof bare, 99};
  bare.hold = Hold::subreaper;
  host.send_raw(&bare, sizeof bare);
  CHECK(host.ping());
}

}  // namespace holdfast::test
