#include "host.h"

#include <sys/socket.h>

#include <string>

namespace holdfast::addon {

namespace {

using os::StreamKind;

// The host's ends, until JavaScript owns them.
struct HostEnds {
  posix::Fd stdin_end, outputs[2], control;
};

void make_ends(Wanted wanted, os::RangeRequest& request, HostEnds& ends) {
  const auto check = [&request](int error, const char* syscall) {
    if (error != 0 && !request.failure) request.failure = {.error = error, .code = {}, .stage = core::Stage::io, .syscall = syscall, .subject = {}};
    return !request.failure;
  };
  if (wanted.stdin_pipe) {
    posix::Pipe pipe;
    if (!check(posix::make_pipe(pipe), "pipe2")) return;
    request.stdin_end = std::move(pipe.read);
    ends.stdin_end = std::move(pipe.write);
  }
  for (int i = 0; i < 2; i++) {
    switch (request.kinds[i]) {
      case StreamKind::collect:
        break;
      case StreamKind::pipe: {
        posix::Pipe pipe;
        if (!check(posix::make_pipe(pipe), "pipe2")) return;
        request.output_ends[i] = std::move(pipe.write);
        ends.outputs[i] = std::move(pipe.read);
        break;
      }
      case StreamKind::inherit:
        if (!check(posix::duplicate(i + 1, request.output_ends[i]), "dup")) return;
        break;
    }
  }
  if (wanted.control) check(posix::make_socket_pair(SOCK_STREAM, ends.control, request.control_end), "socketpair");
}

}  // namespace

void open_host_ends(Wanted wanted, Napi::Object range, os::RangeRequest& request) {
  HostEnds ends;
  make_ends(wanted, request, ends);
  if (request.failure || !(ends.stdin_end || ends.outputs[0] || ends.outputs[1] || ends.control)) return;
  Napi::Object fds = Napi::Object::New(range.Env());
  range["fds"] = fds;
  const auto hand_over = [&](const char* name, posix::Fd& end) {
    if (end) fds[name] = Napi::Number::New(fds.Env(), end.release());
  };
  hand_over("stdin", ends.stdin_end);
  hand_over("stdout", ends.outputs[0]);
  hand_over("stderr", ends.outputs[1]);
  hand_over("control", ends.control);
}

void read_terminal(const Napi::Object& size, std::uint64_t id, const std::shared_ptr<core::FactSink>& sink, os::RangeRequest& request) {
  const auto side = [&](const char* name) { return static_cast<std::uint16_t>(size.Get(name).As<Napi::Number>().Uint32Value()); };
  for (StreamKind& kind : request.kinds) kind = StreamKind::inherit;
  request.terminal = std::make_shared<os::Terminal>(id, posix::TerminalSize{.rows = side("rows"), .cols = side("cols")}, sink);
}

void look_up(const Napi::CallbackInfo& info, std::function<void(Lookup)> done) {
  const auto argument = [&](std::size_t index) { return info[index].As<Napi::String>().Utf8Value(); };
  os::Engine::instance().look_up(argument(0), argument(1), argument(2), std::move(done));
}

}  // namespace holdfast::addon
