// The JavaScript object behind one handle (NativeRange in src/binding.ts). It keeps the streams' memory until it is
// collected as garbage.
#pragma once
#include <napi.h>

#include <memory>

#include "platform.h"

namespace holdfast::addon {

class RangeObject : public Napi::ObjectWrap<RangeObject> {
 public:
  static Napi::Function define(Napi::Env env);

  /// The constructor is the launch: one crossing into native code less than a function that makes the object.
  explicit RangeObject(const Napi::CallbackInfo& info);

 private:
  void terminate(const Napi::CallbackInfo& info);
  void kill(const Napi::CallbackInfo& info);
  void stream_closed(const Napi::CallbackInfo& info);
  Napi::Value read_bytes(const Napi::CallbackInfo& info);
  Napi::Value read_text(const Napi::CallbackInfo& info);
  Napi::Value peek(const Napi::CallbackInfo& info);
  void watch(const Napi::CallbackInfo& info);
  Napi::Value report(const Napi::CallbackInfo& info);
  Napi::Value inspect(const Napi::CallbackInfo& info);
  Napi::Value wait_pid(const Napi::CallbackInfo& info);
  // With a terminal; in terminal_methods.cc.
  Napi::Value take_output(const Napi::CallbackInfo& info);
  Napi::Value write_input(const Napi::CallbackInfo& info);
  Napi::Value resize(const Napi::CallbackInfo& info);
  Napi::Value foreground(const Napi::CallbackInfo& info);
  Napi::Value signal_foreground(const Napi::CallbackInfo& info);

  os::Terminal& terminal(const Napi::CallbackInfo& info) const;
  os::Collector& collector(const Napi::CallbackInfo& info) const;

  bool launched_ = false;  // else there may be no engine to ask for anything
  std::shared_ptr<os::Range> range_;
};

}  // namespace holdfast::addon
