// What the tests of the built warden share: it is driven over its socket as the host drives it.
#pragma once
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "warden_host.h"

namespace holdfast::test {

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

struct TemporaryFile {
  std::string path;
  TemporaryFile(const std::string& text, mode_t mode) {
    char name[] = "/tmp/holdfast-warden-test-XXXXXX";
    const int fd = mkstemp(name);
    REQUIRE(fd >= 0);
    REQUIRE(write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    REQUIRE(fchmod(fd, mode) == 0);
    close(fd);
    path = name;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { unlink(path.c_str()); }
};

inline std::string marker() {
  static int count = 0;
  return "HOLDFAST_TEST=" + std::to_string(getpid()) + "." + std::to_string(++count);
}

/// Gone from the range, the session and the parent: what escapes process groups.
inline constexpr const char* kDaemon = "(setsid sh -c '(setsid sleep 300 &) ; exit 0' &) ; wait";

/// Waits until exactly `sleepers` processes sleep and no more than `all` are left of a command: its shells are done.
inline bool at_rest(const std::string& mark, size_t sleepers, size_t all) {
  return eventually([&] { return marked(mark, "sleep").size() == sleepers && marked(mark).size() == all; });
}

#define FOR_EACH_HOLD(body)                                       \
  SUBCASE("held by a cgroup") { body(Hold::cgroup); }             \
  SUBCASE("held by a subreaper") { body(Hold::subreaper); }

}  // namespace holdfast::test
