// One JavaScript environment (the main thread or a worker): its facts, and its end.
#pragma once
#include <napi.h>

#include <memory>
#include <mutex>

#include "core/fact_sink.h"

namespace holdfast::addon {

class Environment : public core::FactSink {
 public:
  /// `on_facts` is called on the JS thread with all facts since its last call.
  static std::shared_ptr<Environment> attach(Napi::Env env, Napi::Function on_facts);
  /// The environment that attach() made for `env`; null before that.
  static std::shared_ptr<Environment> of(Napi::Env env);

  void post(std::unique_ptr<core::Fact> fact) override;
  /// JS thread. While on, pending facts keep the event loop alive.
  void keep_alive(bool on);

 private:
  static void call_js(napi_env env, napi_value on_facts, void* context, void* data);
  static void clean_up(void* self);

  core::FactQueue facts_;
  std::mutex mutex_;  // between post() on any thread and the end of the environment
  napi_threadsafe_function wake_ = nullptr;
  napi_env env_ = nullptr;
};

}  // namespace holdfast::addon
