#include "host.h"

#include <errno.h>

#include "platform/windows/pipes.h"

namespace holdfast::addon {

using os::Direction;
using os::StreamKind;

// Node has a table of descriptors of its own that no addon can add to. So it is given names, and opens its ends itself.
void open_host_ends(Wanted wanted, Napi::Object range, os::RangeRequest& request) {
  Napi::Object fds = Napi::Object::New(range.Env());
  const auto check = [&request](DWORD error, const char* call) {
    if (error != 0 && !request.failure) request.failure = {.error = os::errno_of(error), .code = {}, .stage = core::Stage::io, .syscall = call, .subject = {}};
    return !request.failure;
  };
  const auto make = [&](const char* stream, Direction direction, os::Handle& end) {
    std::string name;
    if (!check(os::make_named_pipe(direction, end, name), "CreateNamedPipe")) return false;
    fds[stream] = Napi::String::New(fds.Env(), name);
    return true;
  };
  const auto make_all = [&] {
    if (wanted.stdin_pipe && !make("stdin", Direction::command_reads, request.stdin_end)) return;
    for (int i = 0; i < 2; i++) {
      os::Handle& end = request.output_ends[i];
      if (request.kinds[i] == StreamKind::pipe && !make(i == 0 ? "stdout" : "stderr", Direction::command_writes, end)) return;
      if (request.kinds[i] != StreamKind::inherit) continue;
      const HANDLE own = ::GetStdHandle(i == 0 ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
      HANDLE copy = nullptr;
      if (own == nullptr || own == INVALID_HANDLE_VALUE) continue;  // a host without a console may have none
      if (!::DuplicateHandle(::GetCurrentProcess(), own, ::GetCurrentProcess(), &copy, 0, FALSE, DUPLICATE_SAME_ACCESS)) {
        check(::GetLastError(), "DuplicateHandle");
        return;
      }
      end = os::Handle(copy);
    }
    if (wanted.control) make("control", Direction::both, request.control_end);
  };
  make_all();
  if (!request.failure) range["fds"] = fds;
}

void read_terminal(const Napi::Object& size, std::uint64_t id, const std::shared_ptr<core::FactSink>& sink, os::RangeRequest& request) {
  const auto side = [&](const char* name) { return static_cast<std::uint16_t>(size.Get(name).As<Napi::Number>().Uint32Value()); };
  for (StreamKind& kind : request.kinds) kind = StreamKind::inherit;
  request.terminal = std::make_shared<os::Terminal>(id, os::TerminalSize{.rows = side("rows"), .cols = side("cols")}, sink);
}

void look_up(const Napi::CallbackInfo& info, std::function<void(Lookup)> done) {
  const auto argument = [&](std::size_t index) { return info[index].IsString() ? info[index].As<Napi::String>().Utf8Value() : std::string(); };
  os::Engine::instance().look_up(argument(0), argument(1), argument(3), argument(2), std::move(done));
}

Napi::Value raw_mode(const Napi::CallbackInfo& info) { return Napi::String::New(info.Env(), "ENOSYS"); }

Napi::Value restore_mode(const Napi::CallbackInfo& info) { return Napi::String::New(info.Env(), "ENOSYS"); }

}  // namespace holdfast::addon
