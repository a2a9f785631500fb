// How the built warden ends a range: TERM, KILL, and who tries to get away.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "warden_world.h"

namespace holdfast::test {

namespace {

/// This binary is also a dummy child: called with --leaderless it ends its first thread and goes on in another one.
/// Runs before main, which belongs to the test framework.
[[gnu::constructor]] void be_leaderless(int argc, char** argv, char**) {
  if (argc != 2 || std::strcmp(argv[1], "--leaderless") != 0) return;
  pthread_t thread;
  const auto sleep_long = [](void*) -> void* {
    usleep(100000);
    [[maybe_unused]] const ssize_t written = write(1, "alone\n", 6);
    for (;;) pause();
  };
  // Not pthread_exit, which cannot unwind before main.
  if (pthread_create(&thread, nullptr, sleep_long, nullptr) == 0) syscall(SYS_exit, 0);
}

}  // namespace

TEST_CASE("TERM reaches a daemonised grandchild, and the end is proven") {
  const auto body = [](Hold hold) {
    World world(hold);
    const std::string mark = marker();
    Command command = world.shell(kDaemon);
    command.env.push_back(mark);
    Run& run = world.begin(command);
    REQUIRE(world.host.wait([&] { return run.exited; }));
    REQUIRE(at_rest(mark, 1, 1));
    CHECK_FALSE(world.host.wait([&] { return run.empty; }, 100));
    world.host.term(run);
    REQUIRE(world.host.wait([&] { return run.empty; }));
    CHECK(run.end.proven == 1);
    CHECK(run.end.strays == 1);
    REQUIRE(run.strays.size() == 1);
    CHECK(std::string(run.strays[0].argv0) == "sleep");
    CHECK(run.strays[0].ended_by == EndedBy::term);
    CHECK(marked(mark).empty());
  };
  FOR_EACH_HOLD(body)
}

TEST_CASE("KILL ends daemons that ignore TERM, and counts each once") {
  const auto body = [](Hold hold) {
    World world(hold);
    const std::string mark = marker();
    Command command = world.shell(
        "for i in 1 2 3 4 5; do setsid sh -c 'trap \"\" TERM; (setsid sleep 300; :) & wait; sleep 300' & done; "
        "trap '' TERM; sleep 300; sleep 300");
    command.env.push_back(mark);
    Run& run = world.begin(command);
    REQUIRE(at_rest(mark, 6, 17));
    world.host.term(run);
    CHECK_FALSE(world.host.wait([&] { return run.empty; }, 200));
    CHECK(world.host.wait([&] { return !run.strays.empty(); }));
    world.host.kill(run);
    REQUIRE(world.host.wait([&] { return run.empty; }));
    CHECK(run.exited);
    CHECK(run.signal() == SIGKILL);
    CHECK(run.end.proven == 1);
    CHECK(run.end.strays == 16);
    CHECK(marked(mark).empty());
  };
  FOR_EACH_HOLD(body)
}

TEST_CASE("a member that is stopped gets its TERM and runs its handler") {
  const auto body = [](Hold hold) {
    World world(hold);
    Run& run = world.begin(world.shell("trap 'echo handled; exit 9' TERM; echo ready; kill -STOP $$; sleep 300 & wait"));
    REQUIRE(eventually([&] {
      std::ifstream stat("/proc/" + std::to_string(run.pid) + "/stat");
      std::string text((std::istreambuf_iterator<char>(stat)), {});
      return text.find(") T ") != std::string::npos;
    }));
    world.host.term(run);
    REQUIRE(world.host.wait([&] { return run.empty; }));
    CHECK(run.exit_code() == 9);
    CHECK(read_all(run.out) == "ready\nhandled\n");
  };
  FOR_EACH_HOLD(body)
}

TEST_CASE("a member whose first thread has ended is not taken for dead") {
  const auto body = [](Hold hold) {
    World world(hold);
    char self[4096] = {};
    REQUIRE(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    for (const bool polite : {true, false}) {
      const std::string mark = marker();
      Command command = world.shell("setsid " + std::string(self) + " --leaderless & sleep 300; :");
      command.env.push_back(mark);
      Run& run = world.begin(command);
      pollfd said = {run.out, POLLIN, 0};
      REQUIRE(poll(&said, 1, 30000) == 1);
      REQUIRE(eventually([&] { return marked(mark, "sleep").size() == 1; }));
      if (polite) world.host.term(run);
      if (!polite) world.host.kill(run);
      REQUIRE(world.host.wait([&] { return run.empty; }));
      CHECK(run.end.strays == 2);
    }
  };
  FOR_EACH_HOLD(body)
}

TEST_CASE("a launch that is terminated before its exec counts as ended by the signal") {
  const auto body = [](Hold hold) {
    World world(hold);
    const TemporaryFile busy("#!/bin/sh\n", 0755);
    const int writer = open(busy.path.c_str(), O_WRONLY | O_CLOEXEC);
    // The child waits up to 60 ms for the writer. On a crowded machine that may be over before the KILL is there.
    Run* run = nullptr;
    for (int tries = 0; tries < 50 && (run == nullptr || run->failed); ++tries) {
      run = &world.host.start(world.command({busy.path}));
      world.host.kill(*run);
      REQUIRE(world.host.wait([&] { return run->over(); }));
      if (run->failed) CHECK(run->failure.error == ETXTBSY);
    }
    CHECK(run->empty);
    CHECK(run->signal() == SIGKILL);
    close(writer);
  };
  FOR_EACH_HOLD(body)
}

TEST_CASE("a relay that forks, moves to a new session and exits at once is caught") {
  const auto body = [](Hold hold) {
    World world(hold);
    const std::string mark = marker();
    const TemporaryFile relay("#!/bin/sh\nsetsid \"$0\" &\n", 0755);
    Command command = world.shell("for i in 1 2 3 4; do " + relay.path + " & done");
    command.env.push_back(mark);
    Run& run = world.begin(command);
    REQUIRE(world.host.wait([&] { return run.exited; }));
    usleep(100000);
    world.host.kill(run);
    REQUIRE(world.host.wait([&] { return run.empty; }));
    CHECK(run.end.proven == 1);
    CHECK(marked(mark).empty());
  };
  FOR_EACH_HOLD(body)
}

}  // namespace holdfast::test
