// The built warden, driven over its socket as the host drives it. Each test runs under both holds.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <doctest/doctest.h>

#include "warden_host.h"

namespace holdfast::test {

namespace {

struct World {
  Host host;
  Hold hold;
  explicit World(Hold kind, Kernel kernel = Kernel::this_one) : host(kernel), hold(kind) {
    if (kind != Hold::cgroup) return;
    const bool adopted = host.adopt();
    REQUIRE_MESSAGE(adopted, "no cgroup v2 directory can be used here: run the tests as root, or in a delegated cgroup");
    CHECK(host.subtree().error == 0);
  }
  Command command(std::vector<std::string> argv) const {
    Command command;
    command.argv = std::move(argv);
    command.hold = hold;
    return command;
  }
  Command shell(const std::string& script) const { return command({"/bin/sh", "-c", script}); }
  Run& run(const Command& what) {
    Run& run = host.start(what);
    CHECK(host.wait([&] { return run.over(); }));
    return run;
  }
  Run& begin(const Command& what) {
    Run& run = host.start(what);
    REQUIRE(host.wait([&] { return run.started || run.failed; }));
    REQUIRE(run.started);
    return run;
  }
};

std::string marker() {
  static int count = 0;
  return "HOLDFAST_TEST=" + std::to_string(getpid()) + "." + std::to_string(++count);
}

/// Gone from the range, the session and the parent: what escapes process groups.
const char* kDaemon = "(setsid sh -c '(setsid sleep 300 &) ; exit 0' &) ; wait";

/// Waits until exactly `sleepers` processes sleep and no more than `all` are left of a command: its shells are done.
bool at_rest(const std::string& mark, size_t sleepers, size_t all) {
  return eventually([&] { return marked(mark, "sleep").size() == sleepers && marked(mark).size() == all; });
}

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

struct TemporaryFile {
  std::string path;
  TemporaryFile(const std::string& text, mode_t mode) {
    char name[] = "/tmp/holdfast-warden-test-XXXXXX";
    const int fd = mkstemp(name);
    REQUIRE(fd >= 0);
    REQUIRE(write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    fchmod(fd, mode);
    close(fd);
    path = name;
  }
  ~TemporaryFile() { unlink(path.c_str()); }
};

#define FOR_EACH_HOLD(body)                                       \
  SUBCASE("held by a cgroup") { body(Hold::cgroup); }             \
  SUBCASE("held by a subreaper") { body(Hold::subreaper); }

}  // namespace

TEST_CASE("the warden reports what it can do, and ends with its host") {
  Host host;
  CHECK(host.ready().version == kProtocolVersion);
  CHECK(host.ready().pid == host.pid());
  CHECK(host.ready().can_subreap == 1);
  CHECK(host.ping());
  CHECK(host.close_and_wait());
}

TEST_CASE("exit codes and signals of the command are reported, and its emptiness is proven") {
  const auto body = [](Hold hold) {
    World world(hold);
    Run& yes = world.run(world.command({"/bin/true"}));
    CHECK(yes.started);
    CHECK(yes.exit_code() == 0);
    CHECK(yes.end.proven == 1);
    CHECK(yes.end.strays == 0);
    CHECK(world.run(world.command({"/bin/false"})).exit_code() == 1);
    CHECK(world.run(world.shell("exit 42")).exit_code() == 42);
    Run& killed = world.run(world.shell("kill -KILL $$"));
    CHECK(killed.signal() == SIGKILL);
    CHECK(killed.exit.pid == killed.pid);
    Run& busy = world.run(world.shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"));
    CHECK(busy.exit.user_us + busy.exit.system_us > 0);
    CHECK(busy.exit.max_rss_kib > 0);
    CHECK(busy.end.has_usage == 1);
    CHECK(busy.end.user_us + busy.end.system_us > 0);
    CHECK(world.host.close_and_wait());
  };
  FOR_EACH_HOLD(body)
}

TEST_CASE("a failed launch says which step failed and why, and leaves nothing") {
  const auto body = [](Hold hold) {
    World world(hold);
    const auto failure = [&](const Command& command, LaunchStep step, int error) {
      Run& run = world.run(command);
      CHECK(run.failed);
      CHECK_FALSE(run.exited);
      CHECK(static_cast<int>(run.failure.step) == static_cast<int>(step));
      CHECK(run.failure.error == error);
      CHECK(read_all(run.out) == "");
    };
    failure(world.command({"/nowhere/program"}), LaunchStep::exec, ENOENT);
    failure(world.command({"/etc/passwd/program"}), LaunchStep::exec, ENOTDIR);
    failure(world.command({"/tmp"}), LaunchStep::exec, EACCES);
    Command lost = world.command({"/bin/true"});
    lost.cwd = "/nowhere/at/all";
    failure(lost, LaunchStep::chdir, ENOENT);
    lost.cwd = "/etc/passwd";
    failure(lost, LaunchStep::chdir, ENOTDIR);
    const TemporaryFile binary(std::string("\x01\x02\0\x03", 4), 0755);
    failure(world.command({binary.path}), LaunchStep::exec, ENOEXEC);
    const TemporaryFile open_for_writing("#!/bin/sh\n", 0755);
    const int writer = open(open_for_writing.path.c_str(), O_WRONLY | O_CLOEXEC);
    failure(world.command({open_for_writing.path}), LaunchStep::exec, ETXTBSY);
    close(writer);
    Command huge = world.command({"/bin/true"});
    huge.argv.push_back(std::string(200 * 1024, 'x'));
    failure(huge, LaunchStep::exec, E2BIG);
    Command garbage = world.command({"/bin/true"});
    garbage.raw_block = true;
    garbage.block = std::string(700, '\xff');
    failure(garbage, LaunchStep::block, EBADMSG);
    CHECK(world.host.ping());
    CHECK(world.host.close_and_wait());
  };
  FOR_EACH_HOLD(body)
}

TEST_CASE("a script without #! runs through /bin/sh with its path and its arguments") {
  const auto body = [](Hold hold) {
    World world(hold);
    const TemporaryFile script("echo \"$0|$1|$2\"\n", 0755);
    Run& run = world.run(world.command({script.path, "a b", ""}));
    CHECK(run.exit_code() == 0);
    CHECK(read_all(run.out) == script.path + "|a b|\n");
  };
  FOR_EACH_HOLD(body)
}

TEST_CASE("the launch block may come through a pipe") {
  const auto body = [](Hold hold) {
    World world(hold);
    Command command = world.command({"/bin/echo", "through a pipe"});
    command.block_in_pipe = true;
    CHECK(read_all(world.run(command).out) == "through a pipe\n");
  };
  FOR_EACH_HOLD(body)
}

TEST_CASE("the child has its descriptors and no others, a session of its own and default signals") {
  const auto body = [](Hold hold) {
    World world(hold);
    // Asked from outside, and more than once: its loader opens libraries for a moment.
    Run& plain = world.begin(world.command({"/bin/sleep", "300"}));
    const auto fds = [](int pid) {
      std::string text;
      for (int fd = 0; fd < 300; ++fd) {
        char link[64];
        if (readlink(("/proc/" + std::to_string(pid) + "/fd/" + std::to_string(fd)).c_str(), link, sizeof link) > 0) {
          text += std::to_string(fd) + " ";
        }
      }
      return text;
    };
    CHECK(eventually([&] { return fds(plain.pid) == "0 1 2 "; }));
    CHECK(getsid(plain.pid) == plain.pid);
    Command with_control = world.command({"/bin/sleep", "300"});
    with_control.control = true;
    Run& controlled = world.begin(with_control);
    CHECK(eventually([&] { return fds(controlled.pid) == "0 1 2 7 "; }));
    // cat itself handles nothing, so what it shows is what it was given.
    const std::string status = read_all(world.run(world.command({"/bin/cat", "/proc/self/status"})).out);
    for (const char* field : {"SigBlk", "SigIgn", "SigCgt"}) {
      CHECK(status.find(std::string(field) + ":\t0000000000000000\n") != std::string::npos);
    }
    CHECK(world.host.close_and_wait());
  };
  FOR_EACH_HOLD(body)
}

TEST_CASE("the host's state is applied in the child") {
  const auto body = [](Hold hold) {
    World world(hold);
    Command command = world.shell("umask; nice; cat /proc/self/oom_score_adj; ulimit -Sn; ulimit -Hn");
    command.state.applies = HostState::kUmask | HostState::kNice | HostState::kOomScore | HostState::kLimits;
    command.state.umask = 027;
    command.state.nice = 3;
    command.state.oom_score_adj = 321;
    for (auto& limit : command.state.limits) limit = {~uint64_t{0}, ~uint64_t{0}};
    command.state.limits[7] = {555, 777};  // RLIMIT_NOFILE
    Run& run = world.run(command);
    CHECK(read_all(run.out) == "0027\n3\n321\n555\n777\n");
    // Without it, the limit that the warden raised for itself does not reach the child.
    Run& untouched = world.run(world.shell("ulimit -Sn"));
    CHECK(read_all(untouched.out) == std::to_string(sysconf(_SC_OPEN_MAX)) + "\n");
  };
  FOR_EACH_HOLD(body)
}

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
