#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
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
  const std::optional<Choice> choice = choose(request, failure);
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
  if (choice->owner != Owner::group) return launch_by_warden(range, choice->owner, std::move(ends));
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

const OwnerFinding& Launcher::finding(Owner owner) const {
  for (const OwnerFinding& entry : findings_) {
    if (entry.owner == owner) return entry;
  }
  static const OwnerFinding kNone{Owner::job, false, "it exists on Windows only"};
  return kNone;
}

std::optional<Launcher::Choice> Launcher::choose(const RangeRequest& request, core::Failure& failure) {
  bool needs_warden = false;
  for (const Owner owner : request.owners) needs_warden |= owner != Owner::group;
  int shortage = 0;
  if (needs_warden || findings_.empty()) shortage = ensure_warden(request.credentials);

  std::string reasons;
  for (const Owner owner : request.owners) {
    const OwnerFinding& entry = finding(owner);
    if (entry.available) return Choice{owner, request.may_weaken ? reasons : std::string()};
    if (shortage != 0) {
      failure = {.error = shortage, .code = {}, .stage = Stage::own, .syscall = "holdfast-warden", .subject = {}};
      return std::nullopt;
    }
    if (!reasons.empty()) reasons += "; ";
    reasons.append(core::name(owner)).append(": ").append(entry.reason);
  }
  failure = {.error = 0, .code = "OWNER_UNAVAILABLE", .stage = Stage::own, .syscall = {}, .subject = reasons};
  return std::nullopt;
}

// Starts a warden, or another one where the old one has died, where its cgroup was removed under it, or where the host has
// changed who it is since: a child must never have rights that its host has given up. Returns the errno of what has run out, if that is why there is none.
int Launcher::ensure_warden(const std::string& credentials) {
  Refusal refusal;
  if (const int error = host_state_.open()) refusal.add("/proc/self/status", error);
  const std::string identity = credentials + HostStateReader::namespaces();
  if (warden_) {
    if (warden_->alive() && warden_->identity() == identity && !warden_->has_lost_subtree()) return 0;
    reactor_.post([old = warden_] { old->retire(); });
    warden_.reset();
  }

  // Twice, because a warden may die, or fall silent on a crowded machine, while it is asked.
  const bool comparable = refusal.text.empty();
  for (int attempt = 0; attempt < 2 && comparable && !warden_ && refusal.shortage == 0; attempt++) {
    refusal = {};
    findings_.clear();
    WardenProcess process;
    if (!start_warden(files_, process, refusal)) break;
    warden_from_ = process.from;
    warden_path_ = process.path;
    warden_ = std::make_shared<WardenClient>(std::move(process), identity);
    const std::string parent = own_cgroup(refusal);
    const bool in_cgroup = !parent.empty() && warden_->adopt_subtree(parent, refusal);
    // What it has found out would stay for as long as it lives.
    if (refusal.shortage != 0 || !warden_->alive()) warden_.reset();
    findings_.push_back({Owner::cgroup, in_cgroup, refusal.text});
  }
  if (warden_) {
    const warden::ReadyEvent& ready = warden_->process().ready;
    const char* no_subreaper = ready.can_subreap == 0 ? "PR_SET_CHILD_SUBREAPER has no effect here"
                               : ready.has_proc == 0  ? "/proc does not show the processes of this pid namespace"
                                                      : "";
    findings_.push_back({Owner::scope, false, "systemd scopes are not supported by this version"});
    findings_.push_back({Owner::subreaper, *no_subreaper == '\0', no_subreaper});
    warden_->attach(reactor_);
  } else {
    warden_from_ = "none";
    warden_path_.clear();
    findings_.clear();
    const std::string why = "no warden can be started (" + refusal.text + ")";
    for (const Owner owner : {Owner::cgroup, Owner::scope, Owner::subreaper}) findings_.push_back({owner, false, why});
  }
  findings_.push_back({Owner::job, false, "it exists on Windows only"});
  findings_.push_back({Owner::group, true, ""});
  return refusal.shortage;
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

void Launcher::launch_by_warden(const std::shared_ptr<Range>& range, Owner owner, ChildEnds ends) {
  RangeRequest& request = range->request();
  warden::HostState state{};
  host_state_.read_limits(state);
  if (request.umask >= 0) {
    state.umask = static_cast<std::uint32_t>(request.umask);
    state.applies |= warden::HostState::kUmask;
  }
  WardenClient::Launch launch;
  launch.range = range;
  launch.hold = owner == Owner::subreaper ? warden::Hold::subreaper : warden::Hold::cgroup;
  if (const int error = make_launch_block(request.launch, state, strings_, launch.block, launch.block_size)) {
    return fail(range, {.error = error, .code = {}, .stage = Stage::launch, .syscall = "memfd_create", .subject = {}});
  }
  strings_.give(std::move(request.launch.env));
  for (int i = 0; i < 3; i++) launch.stdio[i] = std::move(ends.stdio[i]);
  launch.control = std::move(ends.control);
  for (int i = 0; i < 2; i++) launch.outputs[i] = std::move(ends.outputs[i]);
  launch.input = std::move(ends.input);
  warden_->launch(std::move(launch));
}

namespace {

// The call itself with arguments that it must refuse: ENOSYS means that the kernel does not have it.
bool has_syscall(long number, long a, long b, long c) {
  return ::syscall(number, a, b, c, 0, 0, 0) >= 0 || errno != ENOSYS;
}

double read_number(const char* path) {
  posix::Fd file(::open(path, O_RDONLY | O_CLOEXEC));
  char text[32] = {};
  if (!file || ::read(file.get(), text, sizeof text - 1) <= 0) return -1;
  return strtod(text, nullptr);
}

}  // namespace

Diagnosis Launcher::diagnose() {
  std::string credentials;
  int umask;
  if (host_state_.open() == 0) host_state_.read_status(credentials, umask);
  ensure_warden(credentials);

  Diagnosis result;
  result.owners = findings_;
  for (const Owner owner : {Owner::cgroup, Owner::scope, Owner::subreaper, Owner::group}) {
    if (!finding(owner).available) continue;
    result.chosen = owner;
    break;
  }
  result.warden_from = warden_from_;
  result.warden_path = warden_path_;
  if (warden_) result.warden_pid = warden_->process().pid;

  const auto feature = [&result](const char* name, bool present) { result.kernel.emplace_back(name, present); };
  feature("clone3", warden_ && warden_->process().ready.has_clone3 != 0);
  feature("children", warden_ && warden_->process().ready.has_children != 0);
#ifdef SYS_pidfd_open
  feature("pidfd", has_syscall(SYS_pidfd_open, -1, 0, 0));
#endif
#ifdef SYS_close_range
  feature("closeRange", has_syscall(SYS_close_range, 1, 0, 0));
#endif
  feature("memfd", has_syscall(SYS_memfd_create, 0, -1, 0));
  feature("cgroupKill", warden_ && warden_->kills_leaf());

  const auto limit = [&result](const char* name, double value) {
    if (value >= 0) result.limits.emplace_back(name, value);
  };
  rlimit files{}, processes{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) limit("descriptors", static_cast<double>(files.rlim_cur));
  if (::getrlimit(RLIMIT_NPROC, &processes) == 0) limit("processes", static_cast<double>(processes.rlim_cur));
  limit("pipeMaxBytes", read_number("/proc/sys/fs/pipe-max-size"));
  limit("pipeUserPagesSoft", read_number("/proc/sys/fs/pipe-user-pages-soft"));
  limit("ptys", read_number("/proc/sys/kernel/pty/max"));
  return result;
}

std::shared_ptr<WardenClient> Launcher::release_warden() { return std::move(warden_); }

}  // namespace holdfast::linux_os
