#include "launch_request.h"

#if defined(__APPLE__)
#include <crt_externs.h>
#elif !defined(_WIN32)
#include <unistd.h>  // environ
#endif

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/environment.h"
#include "environment.h"
#include "host.h"

namespace holdfast::addon {

using os::Engine;
using os::RangeRequest;
using os::StreamKind;

namespace {

std::string text(const Napi::Object& object, const char* name) { return object.Get(name).As<Napi::String>().Utf8Value(); }

// REQUEST_NUMBER and OUTPUT_CODE in src/binding.ts.
struct Numbers {
  double grace_ms, named, may_weaken, inherits, pipes_stdin, outputs[2], spills[2];
};
constexpr double kPipe = -2;  // of `outputs`; -1: inherit

std::string_view take_item(std::string_view& texts) {
  const std::string_view item = texts.substr(0, texts.find('\0'));
  texts.remove_prefix(std::min(item.size() + 1, texts.size()));
  return item;
}

// Items up to an empty one, each still followed by its NUL.
std::string_view take_list(std::string_view& texts) {
  const char* const begin = texts.data();
  while (!take_item(texts).empty()) {
  }
  const auto size = static_cast<std::size_t>(texts.data() - begin);
  return {begin, size > 0 ? size - 1 : 0};
}

void read_output(const Numbers& numbers, int index, const Napi::Value& extras, std::uint64_t id, const std::shared_ptr<Environment>& sink,
                 RangeRequest& request) {
  const double capacity = numbers.outputs[index];
  if (capacity < 0) {
    request.kinds[index] = capacity == kPipe ? StreamKind::pipe : StreamKind::inherit;
    return;
  }
  std::optional<os::SpillOptions> spill;
  if (numbers.spills[index] >= 0) {
    const Napi::Object options = extras.As<Napi::Object>();
    spill = os::SpillOptions{static_cast<std::uint64_t>(numbers.spills[index]),
                             Engine::instance().spill_directory(text(options, "spillDirectory"), text(options, "spillPrefix"))};
  }
  request.kinds[index] = StreamKind::collect;
  request.collectors[index] = std::make_shared<os::Collector>(id, index + 1, static_cast<std::uint64_t>(capacity), std::move(spill), sink);
}

// A library on macOS has no `environ` that it may link with.
char** process_environment() {
#if defined(__APPLE__)
  return *::_NSGetEnviron();
#else
  return environ;
#endif
}

void read_limits(const Napi::Object& limits, RangeRequest& request) {
  const auto limit = [&limits](const char* name) {
    const Napi::Value value = limits.Get(name);
    return value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : 0;
  };
  request.limits.memory_bytes = static_cast<std::uint64_t>(limit("memoryBytes"));
  request.limits.processes = static_cast<std::uint32_t>(limit("processes"));
  request.limits.cpu_us = static_cast<std::uint64_t>(limit("cpuMicroseconds"));
}

void read_owners(std::string_view names, RangeRequest& request) {
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(name.size() + 1, names.size()));
    if (const auto owner = core::owner_named(name)) request.owners.push_back(*owner);
  }
}

void read_texts(std::string_view texts, bool inherits, RangeRequest& request) {
  request.launch.cwd = take_item(texts);
  request.host_cwd = take_item(texts);
  read_owners(take_item(texts), request);
  const std::string_view base = take_item(texts);
  const std::string_view unset = take_list(texts), set = take_list(texts);
  request.launch.argv = texts;
  if (!inherits) {
    request.launch.env = set;
    request.search_path = base;
    return;
  }
  // process.env is the environment of the process, and `base` the managed prefix. Only the main thread says so, and Node
  // changes environ on that thread only.
  core::ChildEnvironment made = core::child_environment(process_environment(), base, set, unset, Engine::instance().strings().take());
  request.launch.env = std::move(made.block);
  request.search_path = std::move(made.path);
}

}  // namespace

std::shared_ptr<os::Range> launch(const Napi::CallbackInfo& info, bool& launched) {
  const Napi::Env env = info.Env();
  const auto sink = Environment::of(env);
  if (!sink) throw Napi::Error::New(env, "attach() comes first");
  Engine& engine = Engine::instance();
  const int start_error = engine.ensure_started();
  const std::string texts = info[0].As<Napi::String>().Utf8Value();
  const Napi::Float64Array packed = info[1].As<Napi::Float64Array>();
  const Napi::Value extras = info[2];
  Numbers numbers;
  static_assert(sizeof numbers == 9 * sizeof(double));
  if (packed.ByteLength() < sizeof numbers) throw Napi::TypeError::New(env, "a request has nine numbers");
  std::memcpy(&numbers, packed.Data(), sizeof numbers);
  const std::uint64_t id = engine.next_id();

  RangeRequest request;
  if (start_error != 0) {
    request.failure = {.error = start_error, .code = {}, .stage = core::Stage::own, .syscall = "holdfast threads", .subject = {}};
  } else if (const int error = engine.read_host(request.credentials, request.umask)) {
    request.failure = {.error = error, .code = {}, .stage = core::Stage::own, .syscall = "open", .subject = "/proc/self/status"};
  }
  read_texts(texts, numbers.inherits != 0, request);
  request.grace_ms = static_cast<std::uint64_t>(numbers.grace_ms);
  request.named = static_cast<std::size_t>(numbers.named);
  request.may_weaken = numbers.may_weaken != 0;
  Napi::Object object = info.This().As<Napi::Object>();
  object["id"] = Napi::Number::New(env, static_cast<double>(id));
  Napi::Value terminal;
  Wanted wanted{.stdin_pipe = numbers.pipes_stdin != 0, .control = false};
  if (extras.IsObject()) {
    const Napi::Object rare = extras.As<Napi::Object>();
    if (const Napi::Value limits = rare.Get("limits"); limits.IsObject()) read_limits(limits.As<Napi::Object>(), request);
    if (const Napi::Value data = rare.Get("data"); data.IsString()) request.stdin_data = data.As<Napi::String>().Utf8Value();
    wanted.control = rare.Get("control").ToBoolean();
    terminal = rare.Get("terminal");
  }
  if (!terminal.IsEmpty() && terminal.IsObject()) {
    read_terminal(terminal.As<Napi::Object>(), id, sink, request);
  } else {
    for (int i = 0; i < 2; i++) read_output(numbers, i, extras, id, sink, request);
    if (start_error == 0) open_host_ends(wanted, object, request);
  }

  auto range = std::make_shared<os::Range>(id, std::move(request), sink);
  launched = start_error == 0;
  if (launched) {
    engine.launch(range);
  } else {
    range->failed(*range->request().failure);  // no thread is there to say it
  }
  return range;
}

}  // namespace holdfast::addon
