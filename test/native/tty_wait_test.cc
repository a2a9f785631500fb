// Real programs on a real terminal: each is let into the call that it shall be blocked in, and then looked at.
#include "platform/posix/tty_wait.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include <doctest/doctest.h>

#include "platform/posix/processes.h"
#include "platform/posix/descriptors.h"

using namespace holdfast;
using namespace holdfast::posix;

namespace {

void until(const char* what, const std::function<bool()>& fact) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!fact()) {
    REQUIRE_MESSAGE(std::chrono::steady_clock::now() < end, what);
    usleep(500);
  }
}

struct Terminal {
  posix::Fd master{::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
  posix::Fd slave;
  TtyIdentity identity;
  Terminal() {
    REQUIRE(master);
    REQUIRE(::grantpt(master.get()) == 0);
    REQUIRE(::unlockpt(master.get()) == 0);
    slave.reset(::open(::ptsname(master.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
    REQUIRE(slave);
    REQUIRE(identify_tty(slave.get(), identity) == 0);
  }
};

/// A process whose controlling terminal is `pty` and whose descriptor 0 it is. It runs `block`, which shall not return.
class Program {
 public:
  Program(const Terminal& pty, const std::function<void()>& block) {
    posix::Pipe ready;
    REQUIRE(posix::make_pipe(ready) == 0);
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::alarm(30);
      if (::setsid() < 0 || ::ioctl(pty.slave.get(), TIOCSCTTY, 0) != 0 || ::dup2(pty.slave.get(), 0) != 0) _exit(90);
      if (::write(ready.write.get(), "r", 1) != 1) _exit(91);
      block();
      _exit(92);
    }
    char byte;
    REQUIRE(::read(ready.read.get(), &byte, 1) == 1);
  }
  Program(const Program&) = delete;
  ~Program() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  pid_t pid() const { return pid_; }
  char state() const {
    ProcessInfo info;
    return read_stat(pid_, info) ? info.state : '?';
  }
  void reach(char wanted) const {
    until("the program reaches its state", [&] { return state() == wanted; });
  }

 private:
  pid_t pid_ = -1;
};

InputWait look(const Terminal& pty, const Program& program) { return input_wait(pty.identity, program.pid(), {program.pid()}); }

/// What is said of a program that sleeps in `block`.
InputWait blocked_in(const std::function<void()>& block) {
  const Terminal pty;
  const Program program(pty, block);
  program.reach('S');
  return look(pty, program);
}

char buffer[64];

void poll_on(int fd, short events, int timeout = -1) {
  pollfd entries[] = {{-1, POLLIN, 0}, {fd, events, 0}};
  ::poll(entries, 2, timeout);
}

void select_on(int fd) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(fd, &set);
  ::select(fd + 1, &set, nullptr, nullptr, nullptr);
}

int epoll_set(int fd, unsigned events) {
  const int set = ::epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = events;
  ::epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
  return set;
}

}  // namespace

TEST_CASE("input wait: every call that waits for descriptor 0 is recognised") {
  CHECK(blocked_in([] { (void)!::read(0, buffer, sizeof buffer); }) == InputWait::yes);
  CHECK(blocked_in([] {
    iovec part{buffer, sizeof buffer};
    (void)!::readv(0, &part, 1);
  }) == InputWait::yes);
  CHECK(blocked_in([] { select_on(0); }) == InputWait::yes);
  CHECK(blocked_in([] { poll_on(0, POLLIN); }) == InputWait::yes);
  CHECK(blocked_in([] { poll_on(0, POLLIN, 20'000); }) == InputWait::yes);
  CHECK(blocked_in([] {
    epoll_event event;
    ::epoll_wait(epoll_set(0, EPOLLIN), &event, 1, -1);
  }) == InputWait::yes);
  CHECK(blocked_in([] {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) == 0) (void)!::sendfile(ends[1], 0, nullptr, 1 << 20);
  }) == InputWait::yes);
}

TEST_CASE("input wait: epoll_pwait2 is recognised where the kernel has it") {
  constexpr long kEpollPwait2 = 441;
  epoll_event probe;
  const timespec none{};
  const bool there = ::syscall(kEpollPwait2, -1, &probe, 1, &none, nullptr, 0) < 0 && errno != ENOSYS;
  const InputWait seen = blocked_in([] {
    epoll_event event;
    ::syscall(kEpollPwait2, epoll_set(0, EPOLLIN), &event, 1, nullptr, nullptr, 0);
    for (;;) ::pause();  // without the call
  });
  CHECK(seen == (there ? InputWait::yes : InputWait::no));
}

TEST_CASE("input wait: the terminal on another descriptor, and /dev/tty, count as well") {
  CHECK(blocked_in([] {
    ::dup2(0, 40);
    ::close(0);
    (void)!::read(40, buffer, sizeof buffer);
  }) == InputWait::yes);
  CHECK(blocked_in([] {
    const int fd = ::open("/dev/tty", O_RDONLY | O_CLOEXEC);
    (void)!::read(fd, buffer, sizeof buffer);
  }) == InputWait::yes);
  CHECK(blocked_in([] {
    const int fd = ::open("/dev/tty", O_RDONLY | O_CLOEXEC);
    ::dup2(fd, 0);
    poll_on(0, POLLIN);
  }) == InputWait::yes);
}

TEST_CASE("input wait: any thread counts, with its own descriptors") {
  const Terminal pty;
  const Program program(pty, [] {
    std::thread reader([] { (void)!::read(0, buffer, sizeof buffer); });
    for (;;) ::pause();
  });
  until("the thread is blocked in its read", [&] { return look(pty, program) == InputWait::yes; });
}

TEST_CASE("input wait: whoever waits for something else does not wait for input") {
  CHECK(blocked_in([] { ::pause(); }) == InputWait::no);
  CHECK(blocked_in([] { ::sleep(20); }) == InputWait::no);
  CHECK(blocked_in([] { poll_on(-1, POLLIN, 20'000); }) == InputWait::no);
  CHECK(blocked_in([] { poll_on(0, 0, 20'000); }) == InputWait::no);
  CHECK(blocked_in([] { ::select(0, nullptr, nullptr, nullptr, nullptr); }) == InputWait::no);
  CHECK(blocked_in([] {
    epoll_event event;
    ::epoll_wait(epoll_set(0, 0), &event, 1, -1);
  }) == InputWait::no);
  CHECK(blocked_in([] {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) == 0) (void)!::read(ends[0], buffer, sizeof buffer);
  }) == InputWait::no);
}

TEST_CASE("input wait: a busy program does not wait") {
  const Terminal pty;
  const Program program(pty, [] {
    volatile bool goes_on = true;
    while (goes_on) {
    }
  });
  program.reach('R');
  CHECK(look(pty, program) == InputWait::no);
}

TEST_CASE("input wait: the reader of another terminal does not wait for this one") {
  const Terminal other;
  CHECK(blocked_in([&] { (void)!::read(other.slave.get(), buffer, sizeof buffer); }) == InputWait::no);
  CHECK(blocked_in([&] { select_on(other.slave.get()); }) == InputWait::no);
}

TEST_CASE("input wait: a slave with the same number in another mount of devpts is another terminal") {
  const Terminal pty;
  const Program program(pty, [] { (void)!::read(0, buffer, sizeof buffer); });
  program.reach('S');
  TtyIdentity foreign = pty.identity;
  foreign.filesystem++;
  CHECK(input_wait(foreign, program.pid(), {program.pid()}) == InputWait::no);
}

TEST_CASE("input wait: only the foreground group is asked, and only as far as it is given") {
  const Terminal pty;
  const Program program(pty, [] { (void)!::read(0, buffer, sizeof buffer); });
  program.reach('S');
  CHECK(input_wait(pty.identity, program.pid() + 1, {program.pid()}) == InputWait::no);
  CHECK(input_wait(pty.identity, program.pid(), {}) == InputWait::no);
  CHECK(input_wait(pty.identity, 0, {program.pid()}) == InputWait::no);
  CHECK(input_wait(pty.identity, program.pid(), {program.pid(), 4'194'303}) == InputWait::yes);
}

TEST_CASE("input wait: a stopped reader takes no input; continued it waits again, in a poll too") {
  for (const bool polling : {false, true}) {
    const Terminal pty;
    const Program program(pty, [&] {
      if (polling) poll_on(0, POLLIN, 20'000);
      else (void)!::read(0, buffer, sizeof buffer);
    });
    program.reach('S');
    ::kill(program.pid(), SIGSTOP);
    program.reach('T');
    CHECK(look(pty, program) == InputWait::no);
    ::kill(program.pid(), SIGCONT);
    program.reach('S');
    CHECK(look(pty, program) == InputWait::yes);
  }
}

TEST_CASE("input wait: a sleep that was stopped and continued is not taken for a poll") {
  const Terminal pty;
  const Program program(pty, [] {
    const timespec long_time{20, 0};
    ::nanosleep(&long_time, nullptr);
  });
  program.reach('S');
  ::kill(program.pid(), SIGSTOP);
  program.reach('T');
  ::kill(program.pid(), SIGCONT);
  program.reach('S');
  CHECK(look(pty, program) == InputWait::no);
}

TEST_CASE("input wait: a program that has ended does not wait") {
  const Terminal pty;
  pid_t pid;
  {
    const Program program(pty, [] { ::pause(); });
    pid = program.pid();
  }
  CHECK(input_wait(pty.identity, pid, {pid}) == InputWait::no);
}

TEST_CASE("input wait: where the kernel does not say, nothing is claimed") {
  if (::geteuid() != 0) return;  // needs a reader with fewer rights than the program
  const Terminal pty;
  const Program program(pty, [] { (void)!::read(0, buffer, sizeof buffer); });
  program.reach('S');
  const pid_t other = ::fork();
  REQUIRE(other >= 0);
  if (other == 0) {
    if (::setresuid(65534, 65534, 65534) != 0) _exit(9);
    _exit(static_cast<int>(look(pty, program)));
  }
  int status = -1;
  REQUIRE(::waitpid(other, &status, 0) == other);
  CHECK(WEXITSTATUS(status) == static_cast<int>(InputWait::unseen));
}

TEST_CASE("input wait: a terminal is told from a file") {
  TtyIdentity out;
  posix::Fd file(::open("/", O_RDONLY | O_CLOEXEC));
  CHECK(identify_tty(file.get(), out) == ENOTTY);
  CHECK(identify_tty(-1, out) == EBADF);
}
