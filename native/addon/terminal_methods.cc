// What NativeRange does for a range with a terminal.
#include <errno.h>

#include "convert.h"
#include "platform.h"
#include "range_object.h"

namespace holdfast::addon {

using os::Terminal;

namespace {

// Asks the kernel on a thread of Node's pool. The terminal outlives the question; the answer is made on the JS thread.
template <typename Answer>
class TerminalWorker : public Napi::AsyncWorker {
 public:
  using Ask = std::function<Answer()>;
  using Convert = Napi::Value (*)(Napi::Env, const Answer&);

  static Napi::Promise start(Napi::Env env, Ask ask, Convert convert) {
    auto* worker = new TerminalWorker(env, std::move(ask), convert);
    const Napi::Promise promise = worker->deferred_.Promise();
    worker->Queue();
    return promise;
  }

  void Execute() override { answer_ = ask_(); }
  void OnOK() override { deferred_.Resolve(convert_(Env(), answer_)); }
  void OnError(const Napi::Error& error) override { deferred_.Reject(error.Value()); }

 private:
  TerminalWorker(Napi::Env env, Ask ask, Convert convert)
      : AsyncWorker(env, "holdfast terminal"), deferred_(Napi::Promise::Deferred::New(env)), ask_(std::move(ask)), convert_(convert) {}

  Napi::Promise::Deferred deferred_;
  const Ask ask_;
  const Convert convert_;
  Answer answer_;
};

Napi::Value foreground_value(Napi::Env env, const os::Foreground& found) {
  if (found.group == 0) return env.Undefined();
  Napi::Object result = Napi::Object::New(env);
  result["processGroupId"] = Napi::Number::New(env, found.group);
  static constexpr const char* kWaits[] = {"no", "yes", "unseen"};
  result["inputWait"] = Napi::String::New(env, kWaits[static_cast<int>(found.input)]);
  return result;
}

Napi::Value signal_value(Napi::Env env, const os::ForegroundSignal& sent) {
  using Result = os::ForegroundSignal::Result;
  static constexpr const char* kResults[] = {"sent", "nobody", "shell", "failed"};
  Napi::Object result = Napi::Object::New(env);
  result["result"] = Napi::String::New(env, kResults[static_cast<int>(sent.result)]);
  if (sent.group > 0) result["processGroupId"] = Napi::Number::New(env, sent.group);
  if (sent.result == Result::failed) {
    result["code"] = Napi::String::New(env, error_name(sent.error));
    result["syscall"] = Napi::String::New(env, sent.syscall);
  }
  return result;
}

}  // namespace

Terminal& RangeObject::terminal(const Napi::CallbackInfo& info) const {
  if (!range_->terminal()) throw Napi::Error::New(info.Env(), "this range has no terminal");
  return *range_->terminal();
}

Napi::Value RangeObject::take_output(const Napi::CallbackInfo& info) {
  bool ended = false;
  auto chunk = terminal(info).take(ended);
  if (!chunk) return ended ? info.Env().Undefined() : info.Env().Null();
  // A copy: runtimes with a memory cage refuse memory that is not theirs.
  const Napi::Value bytes = Napi::Buffer<char>::Copy(info.Env(), chunk->bytes, chunk->used);
  terminal(info).give_back(std::move(chunk));
  return bytes;
}

Napi::Value RangeObject::write_input(const Napi::CallbackInfo& info) {
  std::uint64_t until = 0;
  const int error = terminal(info).write(info[0].As<Napi::String>().Utf8Value(), until);
  if (error != 0 && error != EAGAIN) return Napi::String::New(info.Env(), error_name(error));
  return Napi::Number::New(info.Env(), static_cast<double>(until));
}

Napi::Value RangeObject::resize(const Napi::CallbackInfo& info) {
  const auto side = [&](std::size_t index) { return static_cast<std::uint16_t>(info[index].As<Napi::Number>().Uint32Value()); };
  const int error = terminal(info).resize({.rows = side(0), .cols = side(1)});
  return error == 0 ? info.Env().Undefined() : Napi::Value(Napi::String::New(info.Env(), error_name(error)));
}

Napi::Value RangeObject::foreground(const Napi::CallbackInfo& info) {
  terminal(info);
  return TerminalWorker<os::Foreground>::start(
      info.Env(),
      [range = range_] {
        const auto holder = range->facts().holder;
        return os::find_foreground(*range->terminal(), holder ? holder->members() : decltype(holder->members())());
      },
      &foreground_value);
}

Napi::Value RangeObject::signal_foreground(const Napi::CallbackInfo& info) {
  terminal(info);
  const int signal = info[0].As<Napi::Number>().Int32Value();
  return TerminalWorker<os::ForegroundSignal>::start(
      info.Env(), [range = range_, signal] { return os::signal_foreground(*range->terminal(), range->facts().pid, signal); }, &signal_value);
}

}  // namespace holdfast::addon
