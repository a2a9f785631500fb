#include "warden_hosted.h"

#include "../../native/warden/sweep.h"
#include "../../native/warden/warden.h"

namespace holdfast::test {

using namespace holdfast::warden;

namespace {

constexpr uint64_t kPatienceMs = 30000;

int copy(int fd) { return static_cast<int>(sys::call(__NR_fcntl, fd, F_DUPFD_CLOEXEC, 0)); }

bool see_members(const Subtree& subtree, int wanted) {
  for (const uint64_t deadline = sys::now_ms() + kPatienceMs; sys::now_ms() < deadline; sys::sleep_us(2000)) {
    g_found.clear();
    add_members(subtree, 1, g_found);
    if (g_found.count() >= wanted) return true;
  }
  return false;
}

void turn(Warden& warden, Range& range) {
  warden.now_ms = sys::now_ms();
  int status;
  struct rusage usage;
  if (range.child > 0 && sys::wait(range.child, &status, WNOHANG, &usage) > 0) child_reaped(warden, range, status, usage);
  if (range.due_ms != 0 && range.due_ms <= warden.now_ms) step(warden, range);
  settle(warden);
}

}  // namespace

Ending kill_without_cgroup_kill(int directory, int block, uint32_t block_size, int null, int members) {
  static Warden warden;
  Ending ending = {};
  warden.self = static_cast<int>(sys::getpid());
  warden.channel = -1;
  warden.epoll = static_cast<int>(sys::call(__NR_epoll_create1, EPOLL_CLOEXEC));
  for (Subtree& subtree : warden.subtrees) subtree.fd = -1;
  if (!warden.table.init()) return ending;
  Subtree& subtree = warden.subtrees[0];
  ProbeStep step;
  int error;
  probe_subtree(directory, subtree, step, error);
  if (step != ProbeStep::done) return ending;
  subtree.has_kill = false;

  Incoming message = {};
  LaunchRequest request = {{Kind::launch, 0, sizeof request, 1}, Hold::cgroup, 0, block_size, 0, {}};
  message.header = request.header;
  const int fds[] = {block, null, null, null};
  for (const int fd : fds) message.fds[message.fd_count++] = copy(fd);
  warden.now_ms = sys::now_ms();
  launch(warden, request, message);
  Range* range = warden.table.find(1);
  ending.started = range != nullptr && range->child > 0 && see_members(subtree, members);
  if (range == nullptr) return ending;
  kill(warden, *range);
  const uint64_t deadline = sys::now_ms() + kPatienceMs;
  for (; !range->over && sys::now_ms() < deadline; sys::sleep_us(500)) turn(warden, *range);
  ending.empty = range->over;
  ending.strays = range->facts.strays;
  Leaf leaf;
  ending.leaf_removed = make_leaf(subtree, 1, leaf) == 0 && remove_leaf(subtree, 1) == 0;
  sys::close(leaf.fd);
  sys::close(leaf.events);
  sys::close(warden.epoll);
  return ending;
}

}  // namespace holdfast::test
