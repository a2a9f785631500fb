// Duties of the warden that the kernel of this machine never asks for.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "warden_host.h"
#include "warden_hosted.h"

namespace holdfast::test {

TEST_CASE("without cgroup.kill a range is frozen and swept until it is empty") {
  CgroupDirectory directory;
  REQUIRE_MESSAGE(directory.ok(), "no cgroup v2 directory can be made here: run the tests as root, or in a delegated cgroup");
  Command command;
  command.argv = {"/bin/sh", "-c",
                  "trap '' TERM; for i in 1 2 3; do (setsid sh -c 'sleep 300; :' &); done; sleep 300; sleep 300"};
  const std::string block = make_block(command);
  const int memory = memfd_create("launch", MFD_CLOEXEC);
  REQUIRE(write(memory, block.data(), block.size()) == static_cast<ssize_t>(block.size()));
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  const Ending ending =
      kill_without_cgroup_kill(directory.fd(), memory, static_cast<uint32_t>(block.size()), null, 8);
  close(memory);
  close(null);
  CHECK(ending.started);
  CHECK(ending.empty);
  CHECK(ending.strays == 7);
  CHECK(ending.leaf_removed);
}

}  // namespace holdfast::test
