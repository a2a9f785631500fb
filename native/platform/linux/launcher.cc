#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <chrono>

#include "platform/posix/lookup.h"
#include "group_owner.h"
#include "launch_block.h"
#include "threads.h"

namespace holdfast::linux_os {

using core::Owner;
using core::Stage;

struct Launcher::ChildEnds {
  posix::Fd stdio[3];
  posix::Fd control;
  posix::Fd outputs[2];  // ours
  posix::Fd input;       // ours
};

int Launcher::start() {
  stopping_ = stopped_ = false;
  return start_thread(thread_, "holdfast-launch", &Launcher::main, this);
}

bool Launcher::stop() {
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    tasks_.clear();
    changed_.notify_all();
    changed_.wait_for(lock, std::chrono::seconds(1), [this] { return stopped_; });
    if (!stopped_) {
      pthread_detach(thread_);
      return false;
    }
  }
  pthread_join(thread_, nullptr);
  return true;
}

void Launcher::post(Task task) {
  {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void* Launcher::main(void* self) {
  static_cast<Launcher*>(self)->run();
  return nullptr;
}

void Launcher::run() {
  let_waker_run_on();
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (tasks_.empty()) {
      changed_.wait(lock);
      continue;
    }
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;  // what it holds goes outside the lock
    lock.lock();
  }
  stopped_ = true;
  changed_.notify_all();
}

void Launcher::fail(const std::shared_ptr<Range>& range, core::Failure failure) {
  range->request().stdin_end.reset();
  for (posix::Fd& end : range->request().output_ends) end.reset();
  range->request().control_end.reset();
  reactor_.post([range, failure = std::move(failure)] { range->failed(failure); });
}

void Launcher::launch(const std::shared_ptr<Range>& range) {
  if (!range->claim_launch()) return;
  RangeRequest& request = range->request();
  core::Failure failure;
  if (request.failure) return fail(range, *request.failure);
  if (!resolve(request, failure)) return fail(range, std::move(failure));
  if (const int signal = range->cancelled_by()) {
    if (would_fail(request, failure)) return fail(range, std::move(failure));
    reactor_.post([range, signal] { range->cancel_launch(signal); });
    return;
  }
  const std::optional<Owners::Choice> choice = owners_.choose(request, failure);
  if (!choice) return fail(range, std::move(failure));
  ChildEnds ends;
  if (!open_ends(request, ends, failure)) return fail(range, std::move(failure));

  if (!choice->weaker_because.empty() && !std::exchange(warned_, true)) {
    auto fact = std::make_unique<core::Fact>();
    fact->kind = core::Fact::Kind::warning;
    fact->text[0] = std::string("holdfast holds commands by '") + core::name(choice->owner) + "' because " + choice->weaker_because;
    fact->text[1] = core::name(choice->owner);
    fact->text[2] = choice->weaker_because;
    range->sink->post(std::move(fact));
  }
  if (choice->warden) return launch_by_warden(range, *choice, std::move(ends));
  GroupLaunch launch;
  for (int i = 0; i < 3; i++) launch.stdio[i] = std::move(ends.stdio[i]);
  launch.control = std::move(ends.control);
  for (int i = 0; i < 2; i++) launch.outputs[i] = std::move(ends.outputs[i]);
  launch.input = std::move(ends.input);
  launch_group(reactor_, range, std::move(launch));
}

// A bare name is resolved once, here, before any chdir, by the rule of resolveExecutable.
bool Launcher::resolve(RangeRequest& request, core::Failure& failure) {
  const std::string program(request.launch.argv.c_str());
  if (program.find('/') != std::string::npos) {
    request.launch.program = program;
    return true;
  }
  posix::Lookup found = posix::look_up(program, request.search_path, request.host_cwd);
  if (found.error == 0) {
    request.launch.program = std::move(found.path);
    return true;
  }
  const bool finished = found.error == ENOENT || found.error == EACCES;
  failure = {.error = found.error, .code = {}, .stage = Stage::resolve, .syscall = finished ? "spawn" : "stat", .subject = program};
  return false;
}

// What a launch that will not be made would have met first.
bool Launcher::would_fail(const RangeRequest& request, core::Failure& failure) {
  const std::string& cwd = request.launch.cwd;
  posix::Fd directory(::open(cwd.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  int error = directory ? 0 : errno;
  if (error == 0 && ::faccessat(directory.get(), ".", X_OK, AT_EACCESS) != 0) error = errno;
  if (error != 0) {
    failure = {.error = error, .code = {}, .stage = Stage::launch, .syscall = "chdir", .subject = cwd};
    return true;
  }
  const std::string& program = request.launch.program;
  error = posix::executable(program.front() == '/' ? program.c_str() : (cwd + "/" + program).c_str());
  if (error == 0) return false;
  failure = {.error = error, .code = {}, .stage = Stage::launch, .syscall = "spawn", .subject = program};
  return true;
}

bool Launcher::open_ends(RangeRequest& request, ChildEnds& ends, core::Failure& failure) {
  const auto check = [&failure](int error, const char* syscall) {
    if (error == 0) return true;
    failure = {.error = error, .code = {}, .stage = Stage::io, .syscall = syscall, .subject = {}};
    return false;
  };
  if (request.terminal) {
    const char* syscall = "";
    const int error = request.terminal->open(ends.stdio[0], syscall);
    if (error != 0) {
      failure = {.error = error, .code = {}, .stage = Stage::terminal, .syscall = syscall, .subject = {}};
      return false;
    }
    request.launch.terminal = true;
    return check(posix::duplicate(ends.stdio[0].get(), ends.stdio[1]), "dup") && check(posix::duplicate(ends.stdio[0].get(), ends.stdio[2]), "dup");
  }
  ends.control = std::move(request.control_end);
  if (request.stdin_end) {
    ends.stdio[0] = std::move(request.stdin_end);
  } else if (request.stdin_data) {
    posix::Pipe pipe;
    if (!check(posix::make_pipe(pipe), "pipe2") || !check(posix::set_nonblocking(pipe.write.get()), "fcntl")) return false;
    ends.stdio[0] = std::move(pipe.read);
    ends.input = std::move(pipe.write);
  } else if (!check(posix::open_null(O_RDONLY, ends.stdio[0]), "open")) {
    return false;
  }
  for (int i = 0; i < 2; i++) {
    switch (request.kinds[i]) {
      case StreamKind::pipe:
        ends.stdio[1 + i] = std::move(request.output_ends[i]);
        break;
      case StreamKind::inherit:
        if (!check(posix::inherit(request.output_ends[i].get(), O_WRONLY, ends.stdio[1 + i]), "dup")) return false;
        request.output_ends[i].reset();
        break;
      case StreamKind::collect: {
        posix::Pipe pipe;
        if (!check(posix::make_pipe(pipe), "pipe2") || !check(posix::set_nonblocking(pipe.read.get()), "fcntl")) return false;
        ends.outputs[i] = std::move(pipe.read);
        ends.stdio[1 + i] = std::move(pipe.write);
        break;
      }
    }
  }
  return true;
}

void Launcher::launch_by_warden(const std::shared_ptr<Range>& range, const Owners::Choice& choice, ChildEnds ends) {
  RangeRequest& request = range->request();
  warden::HostState state{};
  host_state_.read_limits(state, ::getpid());
  leave_out_inherited(state, choice.warden->process().inherited);
  if (request.umask >= 0) {
    state.umask = static_cast<std::uint32_t>(request.umask);
    state.applies |= warden::HostState::kUmask;
  }
  WardenClient::Launch launch;
  launch.range = range;
  launch.hold = choice.owner == Owner::subreaper ? warden::Hold::subreaper
                : choice.owner == Owner::scope   ? warden::Hold::scope
                                                 : warden::Hold::cgroup;
  launch.limits = request.limits;
  if (const int error = make_launch_block(request.launch, state, strings_, launch.block, launch.block_size)) {
    return fail(range, {.error = error, .code = {}, .stage = Stage::launch, .syscall = "memfd_create", .subject = {}});
  }
  strings_.give(std::move(request.launch.env));
  for (int i = 0; i < 3; i++) launch.stdio[i] = std::move(ends.stdio[i]);
  launch.control = std::move(ends.control);
  for (int i = 0; i < 2; i++) launch.outputs[i] = std::move(ends.outputs[i]);
  launch.input = std::move(ends.input);
  choice.warden->launch(std::move(launch));
}

Diagnosis Launcher::diagnose() {
  std::string credentials;
  int umask;
  if (host_state_.open() == 0) host_state_.read_status(credentials, umask);
  return look_around(owners_, credentials);
}

std::vector<std::shared_ptr<WardenClient>> Launcher::release_wardens() { return owners_.release(); }

}  // namespace holdfast::linux_os
