// The Node-API boundary: what src/binding.ts describes. Strings and numbers in, facts out.
#include <napi.h>

#if !defined(_WIN32)
#include <unistd.h>  // environ
#endif

#include <algorithm>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "core/environment.h"
#include "convert.h"
#include "environment.h"
#include "host.h"
#include "platform.h"
#include "range_object.h"

namespace holdfast::addon {

using os::Engine;
using os::RangeRequest;
using os::StreamKind;

namespace {

std::string text(const Napi::Object& object, const char* name) { return object.Get(name).As<Napi::String>().Utf8Value(); }

Napi::Error system_error(Napi::Env env, int error, const char* syscall) {
  const std::string code = error_name(error);
  Napi::Error result = Napi::Error::New(env, std::string(syscall) + " " + code);
  result.Set("code", Napi::String::New(env, code));
  result.Set("errno", Napi::Number::New(env, -error));
  result.Set("syscall", Napi::String::New(env, syscall));
  return result;
}

void ensure_started(Napi::Env env) {
  if (const int error = Engine::instance().ensure_started()) throw system_error(env, error, "holdfast threads");
}

void read_output(const Napi::Object& spec, int index, std::uint64_t id, const std::shared_ptr<Environment>& sink, RangeRequest& request) {
  const Napi::Value value = spec.Get(index == 0 ? "stdout" : "stderr");
  if (value.IsString()) {
    request.kinds[index] = value.As<Napi::String>().Utf8Value() == "pipe" ? StreamKind::pipe : StreamKind::inherit;
    return;
  }
  const Napi::Object collect = value.As<Napi::Object>();
  const auto size = [&](const char* name) { return static_cast<std::uint64_t>(collect.Get(name).As<Napi::Number>().DoubleValue()); };
  std::optional<os::SpillOptions> spill;
  if (collect.Get("spillMaxBytes").IsNumber()) {
    spill = os::SpillOptions{size("spillMaxBytes"), Engine::instance().spill_directory(text(spec, "spillDirectory"), text(spec, "spillPrefix"))};
  }
  request.kinds[index] = StreamKind::collect;
  request.collectors[index] = std::make_shared<os::Collector>(id, index + 1, size("maxBytes"), std::move(spill), sink);
}

// `inherit` says that process.env is the environment of the process, and which prefix is managed. Only the main thread
// says so, and Node changes environ on that thread only.
void read_environment(const Napi::Object& spec, RangeRequest& request) {
  if (!spec.Get("inherit").IsString()) {
    request.launch.env = text(spec, "env");
    request.search_path = text(spec, "path");
    return;
  }
  core::ChildEnvironment made = core::child_environment(environ, text(spec, "inherit"), text(spec, "env"), text(spec, "unset"),
                                                        Engine::instance().strings().take());
  request.launch.env = std::move(made.block);
  request.search_path = std::move(made.path);
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

Napi::Value spawn(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto sink = Environment::of(env);
  if (!sink) throw Napi::Error::New(env, "attach() comes first");
  Engine& engine = Engine::instance();
  const int start_error = engine.ensure_started();
  const Napi::Object spec = info[0].As<Napi::Object>();
  const std::uint64_t id = engine.next_id();

  RangeRequest request;
  if (start_error != 0) {
    request.failure = {.error = start_error, .code = {}, .stage = core::Stage::own, .syscall = "holdfast threads", .subject = {}};
  } else if (const int error = engine.read_host(request.credentials, request.umask)) {
    request.failure = {.error = error, .code = {}, .stage = core::Stage::own, .syscall = "open", .subject = "/proc/self/status"};
  }
  request.launch.argv = text(spec, "argv");
  read_environment(spec, request);
  request.launch.cwd = text(spec, "cwd");
  request.host_cwd = text(spec, "hostCwd");
  request.grace_ms = static_cast<std::uint64_t>(spec.Get("graceMs").As<Napi::Number>().Int64Value());
  request.named = static_cast<std::size_t>(spec.Get("named").As<Napi::Number>().Int64Value());
  request.may_weaken = spec.Get("mayWeaken").ToBoolean();
  if (const Napi::Value limits = spec.Get("limits"); limits.IsObject()) read_limits(limits.As<Napi::Object>(), request);
  read_owners(text(spec, "owners"), request);
  Napi::Object object = sink->new_range();
  Napi::Object fds = Napi::Object::New(env);
  if (const Napi::Value terminal = spec.Get("terminal"); terminal.IsObject()) {
    read_terminal(terminal.As<Napi::Object>(), id, sink, request);
  } else {
    for (int i = 0; i < 2; i++) read_output(spec, i, id, sink, request);
    if (const Napi::Value in = spec.Get("stdin"); in.IsObject()) request.stdin_data = text(in.As<Napi::Object>(), "data");
    if (start_error == 0) open_host_ends(spec, request, fds);
  }
  object["id"] = Napi::Number::New(env, static_cast<double>(id));
  object["fds"] = fds;

  auto range = std::make_shared<os::Range>(id, std::move(request), sink);
  RangeObject::Unwrap(object)->hold(range, start_error == 0);
  if (start_error != 0) {
    range->failed(*range->request().failure);  // no thread is there to say it
  } else {
    engine.launch(range);
  }
  return object;
}

// Answers on the JS thread what was found out on the launch thread. A worker can end meanwhile, and takes this object
// and its thread-safe function with it; what the launch thread holds is the part behind the lock, which outlives both.
template <typename Answer>
class Answering {
 public:
  using Convert = Napi::Value (*)(Napi::Env, const Answer&);

  static Napi::Promise start(Napi::Env env, Convert convert, const std::function<void(std::function<void(Answer)>)>& ask) {
    auto* self = new Answering(env, convert);
    const Napi::Promise promise = self->deferred_.Promise();
    ask([shared = self->shared_](Answer answer) {
      std::lock_guard lock(shared->mutex);
      if (shared->wake == nullptr) return;  // nobody is there to hear it
      shared->answer = std::move(answer);
      napi_call_threadsafe_function(shared->wake, nullptr, napi_tsfn_nonblocking);
      napi_release_threadsafe_function(std::exchange(shared->wake, nullptr), napi_tsfn_release);
    });
    return promise;
  }

 private:
  struct Shared {
    std::mutex mutex;
    napi_threadsafe_function wake = nullptr;
    Answer answer;
  };

  Answering(Napi::Env env, Convert convert) : deferred_(Napi::Promise::Deferred::New(env)), convert_(convert) {
    const Napi::String name = Napi::String::New(env, "holdfast answer");
    napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, this, &Answering::finalize, this, &Answering::call_js, &shared_->wake);
  }
  static void call_js(napi_env raw, napi_value, void* context, void*) {
    if (raw == nullptr) return;
    auto* self = static_cast<Answering*>(context);
    Napi::HandleScope scope(raw);
    try {
      self->deferred_.Resolve(self->convert_(raw, self->shared_->answer));
    } catch (const Napi::Error&) {
      // A worker that is being taken down turns its loop once more, and JavaScript cannot run in it any longer.
    }
  }
  static void finalize(napi_env, void* data, void*) {
    const std::unique_ptr<Answering> self(static_cast<Answering*>(data));
    std::lock_guard lock(self->shared_->mutex);
    self->shared_->wake = nullptr;
  }

  Napi::Promise::Deferred deferred_;
  const Convert convert_;
  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

Napi::Value diagnose(const Napi::CallbackInfo& info) {
  ensure_started(info.Env());
  return Answering<os::Diagnosis>::start(info.Env(), &diagnosis_value, [](auto done) { Engine::instance().diagnose(std::move(done)); });
}

Napi::Value lookup(const Napi::CallbackInfo& info) {
  ensure_started(info.Env());
  return Answering<Lookup>::start(info.Env(), &lookup_value, [&](auto done) { look_up(info, std::move(done)); });
}

void attach(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (Environment::of(env)) throw Napi::Error::New(env, "attach() may be called once");
  const Napi::Object options = info[0].As<Napi::Object>();
  const auto path = [&](const char* name) { return options.Get(name).IsString() ? text(options, name) : std::string(); };
  Engine::instance().attach({path("wardenOverride"), path("wardenPath"), path("temporaryDirectory")},
                            {path("sessionBus"), path("runtimeDirectory")});
  Environment::attach(env, options.Get("onFacts").As<Napi::Function>());
}

void kill_all(const Napi::CallbackInfo& info) {
  if (const auto sink = Environment::of(info.Env())) Engine::instance().kill_all(sink.get());
}

void keep_alive(const Napi::CallbackInfo& info) {
  if (const auto sink = Environment::of(info.Env())) sink->keep_alive(info[0].ToBoolean());
}

Napi::Value footprint(const Napi::CallbackInfo& info) {
  const Engine::Footprint found = Engine::instance().footprint();
  Napi::Object result = Napi::Object::New(info.Env());
  result["threads"] = Napi::Number::New(info.Env(), found.threads);
  result["ranges"] = Napi::Number::New(info.Env(), static_cast<double>(found.ranges));
  return result;
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  exports["attach"] = Napi::Function::New(env, attach, "attach");
  exports["spawn"] = Napi::Function::New(env, spawn, "spawn");
  exports["lookup"] = Napi::Function::New(env, lookup, "lookup");
  exports["diagnose"] = Napi::Function::New(env, diagnose, "diagnose");
  exports["killAll"] = Napi::Function::New(env, kill_all, "killAll");
  exports["keepAlive"] = Napi::Function::New(env, keep_alive, "keepAlive");
  exports["footprint"] = Napi::Function::New(env, footprint, "footprint");
  exports["rawMode"] = Napi::Function::New(env, raw_mode, "rawMode");
  exports["restoreMode"] = Napi::Function::New(env, restore_mode, "restoreMode");
  return exports;
}

}  // namespace

NODE_API_MODULE(holdfast, init)

}  // namespace holdfast::addon
