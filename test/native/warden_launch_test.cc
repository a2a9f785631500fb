// What the built warden starts, and what a child of it has.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "warden_world.h"

namespace holdfast::test {

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

}  // namespace holdfast::test
