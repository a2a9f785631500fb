#include "launcher.h"

#include <errno.h>
#include <fcntl.h>

#include <chrono>

#include "lookup.h"
#include "threads.h"

namespace holdfast::posix {

using core::Stage;

int Launcher::start() {
  stopping_ = stopped_ = false;
  return start_thread(thread_, &Launcher::main, this);
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
  name_this_thread("holdfast-launch");
  static_cast<Launcher*>(self)->run();
  return nullptr;
}

void Launcher::run() {
  on_thread();
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
  for (Fd& end : range->request().output_ends) end.reset();
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
  start_command(range);
}

void Launcher::warn(core::FactSink& sink, core::Owner owner, const std::string& because) {
  if (std::exchange(warned_, true)) return;
  auto fact = std::make_unique<core::Fact>();
  fact->kind = core::Fact::Kind::warning;
  fact->text[0] = std::string("holdfast holds commands by '") + core::name(owner) + "' because " + because;
  fact->text[1] = core::name(owner);
  fact->text[2] = because;
  sink.post(std::move(fact));
}

// A bare name is resolved once, here, before any chdir, by the rule of resolveExecutable.
bool Launcher::resolve(RangeRequest& request, core::Failure& failure) {
  const std::string program(request.launch.argv.c_str());
  if (program.find('/') != std::string::npos) {
    request.launch.program = program;
    return true;
  }
  Lookup found = look_up(program, request.search_path, request.host_cwd);
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
  int error = enterable(cwd.c_str());
  if (error != 0) {
    failure = {.error = error, .code = {}, .stage = Stage::launch, .syscall = "chdir", .subject = cwd};
    return true;
  }
  const std::string& program = request.launch.program;
  error = executable(program.front() == '/' ? program.c_str() : (cwd + "/" + program).c_str());
  if (error == 0) return false;
  failure = {.error = error, .code = {}, .stage = Stage::launch, .syscall = "spawn", .subject = program};
  return true;
}

bool Launcher::open_ends(RangeRequest& request, GroupLaunch& ends, core::Failure& failure) {
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
    return check(duplicate(ends.stdio[0].get(), ends.stdio[1]), "dup") && check(duplicate(ends.stdio[0].get(), ends.stdio[2]), "dup");
  }
  ends.control = std::move(request.control_end);
  if (request.stdin_end) {
    ends.stdio[0] = std::move(request.stdin_end);
  } else if (request.stdin_data) {
    Pipe pipe;
    if (!check(make_pipe(pipe), "pipe2") || !check(set_nonblocking(pipe.write.get()), "fcntl") ||
        !check(never_sigpipe(pipe.write.get()), "fcntl")) {
      return false;
    }
    ends.stdio[0] = std::move(pipe.read);
    ends.input = std::move(pipe.write);
  } else if (!check(open_null(O_RDONLY, ends.stdio[0]), "open")) {
    return false;
  }
  for (int i = 0; i < 2; i++) {
    switch (request.kinds[i]) {
      case StreamKind::pipe:
        ends.stdio[1 + i] = std::move(request.output_ends[i]);
        break;
      case StreamKind::inherit:
        if (!check(inherit(request.output_ends[i].get(), O_WRONLY, ends.stdio[1 + i]), "dup")) return false;
        request.output_ends[i].reset();
        break;
      case StreamKind::collect: {
        Pipe pipe;
        if (!check(make_pipe(pipe), "pipe2") || !check(set_nonblocking(pipe.read.get()), "fcntl")) return false;
        ends.outputs[i] = std::move(pipe.read);
        ends.stdio[1 + i] = std::move(pipe.write);
        break;
      }
    }
  }
  return true;
}

}  // namespace holdfast::posix
