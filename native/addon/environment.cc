#include "environment.h"

#include "convert.h"
#include "platform.h"

namespace holdfast::addon {

std::shared_ptr<Environment> Environment::attach(Napi::Env env, Napi::Function on_facts) {
  auto environment = std::make_shared<Environment>();
  environment->env_ = env;
  const Napi::String name = Napi::String::New(env, "holdfast facts");
  const napi_status status = napi_create_threadsafe_function(env, on_facts, nullptr, name, 0, 1, nullptr, nullptr,
                                                             environment.get(), &Environment::call_js, &environment->wake_);
  if (status != napi_ok) throw Napi::Error::New(env, "holdfast: napi_create_threadsafe_function failed");
  napi_unref_threadsafe_function(env, environment->wake_);
  // Hooks run in reverse order, so this one runs before the function is taken down by Node itself.
  napi_add_env_cleanup_hook(env, &Environment::clean_up, new std::shared_ptr<Environment>(environment));
  env.SetInstanceData<std::shared_ptr<Environment>>(new std::shared_ptr<Environment>(environment));
  return environment;
}

std::shared_ptr<Environment> Environment::of(Napi::Env env) {
  const auto* held = env.GetInstanceData<std::shared_ptr<Environment>>();
  return held == nullptr ? nullptr : *held;
}

void Environment::post(std::unique_ptr<core::Fact> fact) {
  if (!facts_.push(std::move(fact))) return;
  std::lock_guard lock(mutex_);
  if (wake_ != nullptr) napi_call_threadsafe_function(wake_, nullptr, napi_tsfn_nonblocking);
}

void Environment::keep_alive(bool on) {
  if (wake_ == nullptr) return;
  if (on) {
    napi_ref_threadsafe_function(env_, wake_);
  } else {
    napi_unref_threadsafe_function(env_, wake_);
  }
}

void Environment::call_js(napi_env raw, napi_value on_facts, void* context, void*) {
  if (raw == nullptr) return;  // the environment is being torn down
  const Napi::Env env(raw);
  Napi::HandleScope scope(env);
  std::unique_ptr<core::Fact> fact = static_cast<Environment*>(context)->facts_.take();
  if (!fact) return;
  try {
    Napi::Array values = Napi::Array::New(env);
    std::uint32_t index = 0;
    while (fact) {
      append_fact(env, values, index, *fact);
      fact = std::move(fact->next);
    }
    Napi::Function(env, on_facts).Call({values});
  } catch (const Napi::Error& error) {
    // A worker that was terminated, or threw, turns its loop once more while it is taken down. JS can no longer run
    // then, and every call of Node-API fails, from the first Set on: nobody is left to hear of these facts.
    // Otherwise onFacts has thrown, which it does not; the process hears of that as of any uncaught exception.
    napi_fatal_exception(raw, error.Value());
    while (fact) fact = std::move(fact->next);  // one by one: a long chain would be destroyed by recursion
  }
}

void Environment::clean_up(void* self) {
  const std::unique_ptr<std::shared_ptr<Environment>> held(static_cast<std::shared_ptr<Environment>*>(self));
  Environment& environment = **held;
  {
    std::lock_guard lock(environment.mutex_);
    napi_release_threadsafe_function(std::exchange(environment.wake_, nullptr), napi_tsfn_abort);
  }
  os::Engine::instance().detach(&environment);
}

}  // namespace holdfast::addon
