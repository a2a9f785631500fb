// What each platform's Poller promises the shared engine: the same test is meant for epoll and kqueue.
#include "platform/posix/reactor.h"

#include <doctest/doctest.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <future>

#include "platform/posix/child.h"

using namespace holdfast::posix;

namespace {

constexpr std::chrono::seconds kDeadline(20);

class RunningReactor {
 public:
  RunningReactor() { REQUIRE(reactor_.start() == 0); }
  ~RunningReactor() { reactor_.stop(); }

  Reactor& operator*() { return reactor_; }

  /// Runs `use` on the reactor's thread, and waits for it.
  void on_thread(std::function<void()> use) {
    std::promise<void> done;
    reactor_.post([&] {
      use();
      done.set_value();
    });
    REQUIRE(done.get_future().wait_for(kDeadline) == std::future_status::ready);
  }

 private:
  Reactor reactor_;
};

/// The first value that is given on the reactor's thread.
template <typename T>
class Once {
 public:
  void give(T value) {
    if (!std::exchange(given_, true)) promise_.set_value(value);
  }
  T wait() {
    REQUIRE(future_.wait_for(kDeadline) == std::future_status::ready);
    return future_.get();
  }
  bool is_there() { return future_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

 private:
  bool given_ = false;
  std::promise<T> promise_;
  std::future<T> future_ = promise_.get_future();
};

/// A child that exits with this code when its pipe is closed, or when it is killed.
pid_t start_child(int code, Pipe& pipe) {
  REQUIRE(make_pipe(pipe) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(pipe.write.get());
    char byte;
    while (::read(pipe.read.get(), &byte, 1) < 0 && errno == EINTR) {
    }
    ::_exit(code);
  }
  pipe.read.reset();
  return child;
}

}  // namespace

TEST_CASE("who asks for nothing is told of the end alone, and of all that is there when asking again") {
  RunningReactor running;
  Pipe pipe;
  REQUIRE(make_pipe(pipe) == 0);
  REQUIRE(::write(pipe.write.get(), "x", 1) == 1);
  Once<std::uint32_t> event, asked;
  Reactor::WatchId watch = 0;
  running.on_thread([&] { watch = (*running).watch(pipe.read.get(), 0, [&](std::uint32_t events) { event.give(events); }); });
  REQUIRE(watch != 0);
  for (int i = 0; i < 3; i++) running.on_thread([] {});  // turns of the loop, in which it would have been told
  CHECK_FALSE(event.is_there());
  pipe.write.reset();
  CHECK((event.wait() & Poller::kHangUp) != 0);
  running.on_thread([&] { (*running).unwatch(watch); });

  running.on_thread([&] { watch = (*running).watch(pipe.read.get(), Poller::kRead, [&](std::uint32_t events) { asked.give(events); }); });
  CHECK((asked.wait() & Poller::kRead) != 0);
  running.on_thread([&] { (*running).unwatch(watch); });
}

TEST_CASE("a watch that is changed to nothing is quiet, and changed back it tells what came meanwhile") {
  RunningReactor running;
  Pipe pipe;
  REQUIRE(make_pipe(pipe) == 0);
  int calls = 0;
  Once<std::uint32_t> again;
  Reactor::WatchId watch = 0;
  running.on_thread([&] {
    watch = (*running).watch(pipe.read.get(), Poller::kRead, [&](std::uint32_t events) {
      calls++;
      again.give(events);
    });
    (*running).change(watch, 0);
  });
  REQUIRE(::write(pipe.write.get(), "x", 1) == 1);
  for (int i = 0; i < 3; i++) running.on_thread([] {});
  running.on_thread([&] { CHECK(calls == 0); });
  running.on_thread([&] { (*running).change(watch, Poller::kRead); });
  CHECK(again.wait() == Poller::kRead);
  running.on_thread([&] { (*running).unwatch(watch); });
}

TEST_CASE("a pipe that can be written is told, and its lost reader too") {
  RunningReactor running;
  Pipe pipe;
  REQUIRE(make_pipe(pipe) == 0);
  Once<std::uint32_t> writable, lost;
  Reactor::WatchId watch = 0;
  running.on_thread([&] {
    watch = (*running).watch(pipe.write.get(), Poller::kWrite, [&](std::uint32_t events) {
      writable.give(events);
      if ((events & Poller::kHangUp) != 0) lost.give(events);
    });
  });
  CHECK((writable.wait() & Poller::kWrite) != 0);
  pipe.read.reset();
  lost.wait();
  running.on_thread([&] { (*running).unwatch(watch); });
}

TEST_CASE("an exit is told once, and its status is there without reaping") {
  RunningReactor running;
  Pipe pipe;
  const pid_t child = start_child(3, pipe);
  REQUIRE(child > 0);
  CHECK(look_at_child(child).state == ChildExit::State::running);
  Once<bool> exited;
  Reactor::WatchId watch = 0;
  running.on_thread([&] { watch = (*running).watch_exit(child, [&](std::uint32_t) { exited.give(true); }); });
  REQUIRE(watch != 0);
  pipe.write.reset();
  exited.wait();
  running.on_thread([&] { (*running).unwatch(watch); });

  ChildExit found = look_at_child(child);
  for (int i = 0; i < 1000 && found.state == ChildExit::State::running; i++) found = look_at_child(child);
  CHECK(found.state == ChildExit::State::zombie);
  CHECK(WIFEXITED(found.status));
  CHECK(WEXITSTATUS(found.status) == 3);
  CHECK(::kill(child, 0) == 0);  // its number is still its own
  CHECK(reap_child(child).has_value());
  CHECK_FALSE(reap_child(child).has_value());
  CHECK(look_at_child(child).state == ChildExit::State::lost);
}

TEST_CASE("a death by signal has the signal in its status") {
  Pipe pipe;
  const pid_t child = start_child(0, pipe);
  REQUIRE(child > 0);
  REQUIRE(::kill(child, SIGKILL) == 0);
  siginfo_t info{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
  const ChildExit found = look_at_child(child);
  CHECK(WIFSIGNALED(found.status));
  CHECK(WTERMSIG(found.status) == SIGKILL);
  reap_child(child);
}
