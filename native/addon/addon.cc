// The Node-API boundary: what src/binding.ts describes. Strings and numbers in, facts out.
#include <napi.h>

#include <memory>
#include <mutex>
#include <utility>

#include "convert.h"
#include "environment.h"
#include "host.h"
#include "platform.h"
#include "range_object.h"

namespace holdfast::addon {

using os::Engine;

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
  exports["Range"] = RangeObject::define(env);
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
