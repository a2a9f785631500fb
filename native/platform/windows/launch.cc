#include "launch.h"

#include <errno.h>

#include <cstring>

#include "attributes.h"
#include "core/command_line.h"
#include "core/job_launch.h"
#include "core/windows_names.h"
#include "lookup.h"
#include "pipes.h"

namespace holdfast::windows {

namespace {

using core::Failure;
using core::Stage;

constexpr DWORD kConnectMs = 5000;
constexpr int kControl = 7;

std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> items;
  while (!list.empty()) {
    items.push_back(list.substr(0, list.find('\0')));
    list.remove_prefix(std::min(items.back().size() + 1, list.size()));
  }
  return items;
}

Failure failure_of(DWORD error, Stage stage, const char* call, std::string subject = {}) {
  return {.error = errno_of(error), .code = {}, .stage = stage, .syscall = call, .subject = std::move(subject)};
}

bool resolve(const RangeRequest& request, std::string_view program, std::string& path, Failure& failure) {
  const std::string_view extensions = core::variable(request.launch.env, "PATHEXT");
  const bool bare = program.find_first_of("\\/:") == std::string_view::npos;
  const Lookup found = first_file(bare ? core::program_candidates(program, request.search_path, extensions, request.host_cwd)
                                       : core::path_candidates(program, extensions, request.launch.cwd));
  if (found.error != 0) {
    failure = {.error = found.error, .code = {}, .stage = Stage::resolve, .syscall = "spawn", .subject = found.subject};
    return false;
  }
  path = found.path;
  return true;
}

bool check_directory(const std::string& cwd, Failure& failure) {
  const DWORD attributes = ::GetFileAttributesW(widen(cwd).c_str());
  if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return true;
  const int error = attributes == INVALID_FILE_ATTRIBUTES ? errno_of(::GetLastError()) : ENOTDIR;
  failure = {.error = error, .code = {}, .stage = Stage::launch, .syscall = "chdir", .subject = cwd};
  return false;
}

// What is executed, and its command line.
struct Program {
  std::string path;
  std::string line;
};

bool make_program(const RangeRequest& request, Program& program, Failure& failure) {
  std::vector<std::string_view> argv = split(request.launch.argv);
  if (argv.empty() || !resolve(request, argv[0], program.path, failure)) return false;
  std::optional<std::string> line;
  if (core::is_batch_file(program.path)) {
    // Not ComSpec: whoever sets it in the environment must not choose what runs here.
    wchar_t system[MAX_PATH];
    const UINT length = ::GetSystemDirectoryW(system, MAX_PATH);
    const std::string processor = narrow({system, length}) + "\\cmd.exe";
    argv.erase(argv.begin());
    line = core::batch_command_line(processor, program.path, argv);
    program.path = processor;
  } else {
    line = core::command_line(argv);
  }
  if (!line) {
    failure = {.error = EINVAL, .code = {}, .stage = Stage::launch, .syscall = "spawn", .subject = program.path};
    return false;
  }
  program.line = std::move(*line);
  return true;
}

// The command's ends of its streams. Inheritable copies exist from here to the end of the launch, and each command gets only
// those of the list; another library in this process that starts a child with all inheritable handles meanwhile would give it
// these too, which cannot be prevented from here.
struct Ends {
  Handle streams[4];  // stdin, stdout, stderr, control
  bool console = false;

  bool open(RangeRequest& request, Reactor& reactor, Launched& launched, Failure& failure);
  bool make_inheritable(Failure& failure);
  std::vector<HANDLE> list() const {
    std::vector<HANDLE> handles;
    for (const Handle& end : streams) {
      if (end) handles.push_back(end.get());
    }
    return handles;
  }
};

bool Ends::open(RangeRequest& request, Reactor& reactor, Launched& launched, Failure& failure) {
  if (request.terminal) {
    const char* call = "";
    const DWORD error = request.terminal->open(reactor, call);
    if (error != 0) failure = failure_of(error, Stage::terminal, call);
    return error == 0;
  }
  const auto check = [&](DWORD error, const char* call) {
    if (error != 0) failure = failure_of(error, Stage::io, call);
    return error == 0;
  };
  if (request.stdin_data) {
    if (!check(make_pipe(Direction::command_reads, launched.input, streams[0]), "CreateNamedPipe")) return false;
    if (!check(reactor.add_file(launched.input.get()), "CreateIoCompletionPort")) return false;
  } else if (request.stdin_end) {
    streams[0] = std::move(request.stdin_end);
    if (!check(await_connection(streams[0].get(), kConnectMs), "connect")) return false;
  } else if (!check(open_null(true, streams[0]), "CreateFile")) {
    return false;
  }
  for (int i = 0; i < 2; i++) {
    Handle& end = streams[i + 1];
    if (request.kinds[i] == StreamKind::collect) {
      if (!check(make_pipe(Direction::command_writes, launched.outputs[i], end), "CreateNamedPipe")) return false;
      if (!check(reactor.add_file(launched.outputs[i].get()), "CreateIoCompletionPort")) return false;
      continue;
    }
    end = std::move(request.output_ends[i]);
    if (request.kinds[i] == StreamKind::pipe) {
      if (!check(await_connection(end.get(), kConnectMs), "connect")) return false;
    } else if (!end) {
      if (!check(open_null(false, end), "CreateFile")) return false;  // the host itself has none
    } else {
      console |= ::GetFileType(end.get()) == FILE_TYPE_CHAR;
    }
  }
  streams[3] = std::move(request.control_end);
  return !streams[3] || check(await_connection(streams[3].get(), kConnectMs), "connect");
}

bool Ends::make_inheritable(Failure& failure) {
  for (const Handle& end : streams) {
    if (!end || ::SetHandleInformation(end.get(), HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT)) continue;
    failure = failure_of(::GetLastError(), Stage::io, "SetHandleInformation");
    return false;
  }
  return true;
}

// Descriptors as the C runtime hands them on: a count, a byte of flags for each, a handle for each. Node and everything else
// that is built on a C runtime finds descriptor 7 there.
std::string runtime_block(const Ends& ends) {
  constexpr unsigned char kOpen = 0x01, kPipe = 0x08, kDevice = 0x40;
  const int count = kControl + 1;
  std::string block(sizeof(int) + static_cast<std::size_t>(count) * (1 + sizeof(HANDLE)), '\0');
  std::memcpy(block.data(), &count, sizeof count);
  for (int fd = 0; fd < count; fd++) {
    const HANDLE handle = fd < 3 ? ends.streams[fd].get() : fd == kControl ? ends.streams[3].get() : INVALID_HANDLE_VALUE;
    unsigned char flags = 0;
    if (fd < 3 || fd == kControl) {
      const DWORD type = ::GetFileType(handle);
      flags = static_cast<unsigned char>(kOpen | (type == FILE_TYPE_PIPE ? kPipe : type == FILE_TYPE_CHAR ? kDevice : 0));
    }
    block[sizeof(int) + static_cast<std::size_t>(fd)] = static_cast<char>(flags);
    std::memcpy(block.data() + sizeof(int) + count + static_cast<std::size_t>(fd) * sizeof(HANDLE), &handle, sizeof handle);
  }
  return block;
}

class System : public core::JobSystem {
 public:
  System(const RangeRequest& request, const Program& program, const Ends& ends, Reactor& reactor, Held& held, Birth birth)
      : request_(request), birth_(birth), ends_(ends), reactor_(reactor), held_(held), path_(widen(program.path)), line_(widen(program.line)),
        cwd_(widen(request.launch.cwd)), environment_(widen(core::environment_block(request.launch.env))), runtime_(runtime_block(ends)) {}

  int create_job() override {
    held_.id = reactor_.next_job();
    return static_cast<int>(held_.job.create(reactor_.port(), held_.id, request_.limits, call_));
  }
  int create_in_job() override { return birth_ == Birth::in_job ? create(true) : static_cast<int>(ERROR_NOT_SUPPORTED); }
  int create_suspended() override { return create(false); }
  int assign() override {
    call_ = "AssignProcessToJobObject";
    return ::AssignProcessToJobObject(held_.job.get(), held_.process.get()) ? 0 : static_cast<int>(::GetLastError());
  }
  int resume() override {
    call_ = "ResumeThread";
    return ::ResumeThread(thread_.get()) != static_cast<DWORD>(-1) ? 0 : static_cast<int>(::GetLastError());
  }
  bool attribute_refused(int error) const override {
    return error == ERROR_NOT_SUPPORTED || error == ERROR_INVALID_PARAMETER || error == ERROR_ACCESS_DENIED;
  }
  int kill_command() override {
    if (!::TerminateProcess(held_.process.get(), 1)) return static_cast<int>(::GetLastError());
    return ::WaitForSingleObject(held_.process.get(), kConnectMs) == WAIT_OBJECT_0 ? 0 : WAIT_TIMEOUT;
  }
  int kill_job() override { return static_cast<int>(held_.job.kill()); }
  void close_command() override {
    held_.process.reset();
    thread_.reset();
  }
  void close_job() override { held_.job.close(); }

  const char* call() const { return call_; }

 private:
  int create(bool in_job);

  const RangeRequest& request_;
  const Birth birth_;
  const Ends& ends_;
  Reactor& reactor_;
  Held& held_;
  const std::wstring path_, line_, cwd_, environment_;
  std::string runtime_;
  Handle thread_;
  const char* call_ = "";
};

int System::create(bool in_job) {
  call_ = "spawn";
  std::vector<HANDLE> handles = ends_.list();
  HANDLE job = held_.job.get();
  void* const console = request_.terminal ? request_.terminal->console() : nullptr;
  AttributeList attributes(in_job ? 2 : 1);
  if (console != nullptr) {
    attributes.set(PROC_THREAD_ATTRIBUTE_PSEUDOCONSOLE, console, sizeof console);
  } else {
    attributes.set(PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles.data(), handles.size() * sizeof(HANDLE));
  }
  if (in_job) attributes.set(PROC_THREAD_ATTRIBUTE_JOB_LIST, &job, sizeof job);
  if (attributes.error() != 0) return static_cast<int>(attributes.error());

  STARTUPINFOEXW startup{};
  startup.StartupInfo.cb = sizeof startup;
  // On a terminal all three are none: the command's start gives it those of its console then, and not the host's.
  startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  startup.StartupInfo.hStdInput = ends_.streams[0].get();
  startup.StartupInfo.hStdOutput = ends_.streams[1].get();
  startup.StartupInfo.hStdError = ends_.streams[2].get();
  if (ends_.streams[3]) {
    startup.StartupInfo.cbReserved2 = static_cast<WORD>(runtime_.size());
    startup.StartupInfo.lpReserved2 = reinterpret_cast<BYTE*>(runtime_.data());
  }
  startup.lpAttributeList = attributes.get();
  // No window. But a command that was given the host's own console shares that, which shows none either.
  DWORD flags = EXTENDED_STARTUPINFO_PRESENT | CREATE_UNICODE_ENVIRONMENT;
  if (!ends_.console && console == nullptr) flags |= CREATE_NO_WINDOW;
  if (!in_job) flags |= CREATE_SUSPENDED;
  std::wstring line = line_;  // CreateProcess may write into it
  std::wstring environment = environment_;
  PROCESS_INFORMATION made{};
  if (!::CreateProcessW(path_.c_str(), line.data(), nullptr, nullptr, console == nullptr, flags, environment.data(), cwd_.c_str(), &startup.StartupInfo, &made)) {
    return static_cast<int>(::GetLastError());
  }
  held_.process = Handle(made.hProcess);
  thread_ = Handle(made.hThread);
  held_.pid = made.dwProcessId;
  return 0;
}

}  // namespace

bool launch(RangeRequest& request, Reactor& reactor, Launched& launched, Failure& failure, Birth birth) {
  Program program;
  Ends ends;
  if (!check_directory(request.launch.cwd, failure) || !make_program(request, program, failure)) return false;
  if (!ends.open(request, reactor, launched, failure) || !ends.make_inheritable(failure)) return false;
  launched.held = std::make_shared<Held>();
  System system(request, program, ends, reactor, *launched.held, birth);
  const core::JobLaunch result = core::launch_in_job(system);
  if (result.failed == core::JobLaunch::Step::done) return true;
  const auto error = static_cast<DWORD>(result.error);
  const bool limited = request.limits.memory_bytes > 0 || request.limits.processes > 0 || request.limits.cpu_us > 0;
  if (result.failed == core::JobLaunch::Step::create) {
    failure = failure_of(error, Stage::launch, "spawn", program.path);
    // Windows does not say what was too long.
    if (error == ERROR_FILENAME_EXCED_RANGE) failure.error = E2BIG;
  } else if (result.failed == core::JobLaunch::Step::job && limited) {
    failure = {.error = 0, .code = "LIMITS_UNAVAILABLE", .stage = Stage::own, .syscall = system.call(),
               .subject = "the limits cannot be set on a Job here: Windows error " + std::to_string(error)};
  } else {
    std::string why = "the command cannot be put into a Job: " + std::string(system.call()) + ", Windows error " + std::to_string(error);
    if (result.undo_error != 0) why += "; a suspended process that has run nothing could not be ended";
    failure = {.error = 0, .code = "OWNER_UNAVAILABLE", .stage = Stage::own, .syscall = system.call(), .subject = std::move(why)};
  }
  launched = {};
  return false;
}

}  // namespace holdfast::windows
