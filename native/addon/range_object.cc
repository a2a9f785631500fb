#include "range_object.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include "core/text.h"
#include "convert.h"
#include "launch_request.h"
#include "scratch.h"

namespace holdfast::addon {

using core::TailRing;
using os::Engine;

namespace {

// The last, or first, up to three bytes of a snapshot, whose spans may cut anywhere.
std::size_t cut_at_end(const TailRing::Snapshot& window) {
  std::byte last[3];
  std::size_t count = 0;
  for (auto span = window.spans().rbegin(); span != window.spans().rend() && count < 3; ++span) {
    for (std::size_t i = span->size(); i > 0 && count < 3; i--) last[2 - count++] = (*span)[i - 1];
  }
  return core::incomplete_suffix(std::span(last + 3 - count, count));
}

std::size_t cut_at_begin(const TailRing::Snapshot& window) {
  std::byte first[3];
  std::size_t count = 0;
  for (const auto& span : window.spans()) {
    for (std::size_t i = 0; i < span.size() && count < 3; i++) first[count++] = span[i];
    if (count == 3) break;
  }
  return core::partial_prefix(std::span(first, count));
}

std::uint64_t offset_argument(const Napi::CallbackInfo& info, std::size_t index) {
  const double value = info[index].As<Napi::Number>().DoubleValue();
  return value <= 0 ? 0 : static_cast<std::uint64_t>(value);
}

Napi::Array answer(Napi::Env env, Napi::Value payload, std::uint64_t next, bool lossy) {
  Napi::Array result = Napi::Array::New(env, 3);
  result[0u] = payload;
  result[1u] = Napi::Number::New(env, static_cast<double>(next));
  result[2u] = Napi::Boolean::New(env, lossy);
  return result;
}

// A window may be as large as its caller has asked for, and joining it may be more than there is: an error of this read,
// and nothing is lost by it.
template <typename Read>
Napi::Value within_memory(Napi::Env env, Read read) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    Napi::Error error = Napi::Error::New(env, "there is no memory to copy this window to: a later offset, or a smaller maxBytes, needs less");
    error.Set("code", "ENOMEM");
    error.ThrowAsJavaScriptException();
    return {};
  }
}

// `length` bytes of a window, from `skip` on, as a string. ASCII is told from the rest, span by span while it is in the
// cache, because V8 then copies the bytes and does not decode them.
Napi::String decode(Napi::Env env, const TailRing::Snapshot& window, std::size_t skip, std::size_t length) {
  const auto& spans = window.spans();
  std::optional<Scratch> joined;
  if (spans.size() > 1) joined.emplace(window.size());
  bool ascii = true;
  std::size_t at = 0;
  for (const auto& span : spans) {
    ascii = ascii && core::is_ascii(span);
    if (joined) std::memcpy(joined->data() + at, span.data(), span.size());
    at += span.size();
  }
  const char* begin = reinterpret_cast<const char*>(joined ? joined->data() : spans[0].data()) + skip;
  napi_value text = nullptr;
  const napi_status status = ascii ? napi_create_string_latin1(env, begin, length, &text) : napi_create_string_utf8(env, begin, length, &text);
  if (status != napi_ok) throw Napi::Error::New(env);
  return Napi::String(env, text);
}

/// All whole characters of a window, the offset after them, and whether bytes were missed.
Napi::Value text_of(Napi::Env env, const TailRing::Snapshot& window) {
  const std::size_t skip = window.lossy ? cut_at_begin(window) : 0;
  const std::size_t keep = window.sealed ? 0 : cut_at_end(window);
  if (skip + keep >= window.size()) {
    // Nothing but pieces of characters; a lossy window of a few continuation bytes has passed them all the same.
    const std::uint64_t next = window.end - std::min<std::uint64_t>(keep, window.size());
    return answer(env, Napi::String::New(env, ""), next, window.lossy);
  }
  const std::size_t length = window.size() - skip - keep;
  return answer(env, decode(env, window, skip, length), window.end - keep, window.lossy);
}

using Holder = decltype(os::RangeFacts::holder)::element_type;

class InspectWorker : public Napi::AsyncWorker {
 public:
  InspectWorker(Napi::Env env, std::shared_ptr<Holder> holder)
      : AsyncWorker(env, "holdfast inspect"), deferred_(Napi::Promise::Deferred::New(env)), holder_(std::move(holder)) {}
  Napi::Promise promise() const { return deferred_.Promise(); }

  void Execute() override {
    if (holder_) members_ = os::inspect(holder_->members());
    holder_.reset();
  }
  void OnOK() override { deferred_.Resolve(members_value(Env(), members_)); }
  void OnError(const Napi::Error& error) override { deferred_.Reject(error.Value()); }

 private:
  Napi::Promise::Deferred deferred_;
  std::shared_ptr<Holder> holder_;
  std::vector<os::ProcessInfo> members_;
};

}  // namespace

Napi::Function RangeObject::define(Napi::Env env) {
  return DefineClass(env, "Range",
                     {
                         InstanceMethod<&RangeObject::terminate>("terminate"),
                         InstanceMethod<&RangeObject::kill>("kill"),
                         InstanceMethod<&RangeObject::stream_closed>("streamClosed"),
                         InstanceMethod<&RangeObject::read_bytes>("readBytes"),
                         InstanceMethod<&RangeObject::read_text>("readText"),
                         InstanceMethod<&RangeObject::peek>("peek"),
                         InstanceMethod<&RangeObject::watch>("watch"),
                         InstanceMethod<&RangeObject::report>("report"),
                         InstanceMethod<&RangeObject::inspect>("inspect"),
                         InstanceMethod<&RangeObject::wait_pid>("waitPid"),
                         InstanceMethod<&RangeObject::take_output>("takeOutput"),
                         InstanceMethod<&RangeObject::write_input>("writeInput"),
                         InstanceMethod<&RangeObject::resize>("resize"),
                         InstanceMethod<&RangeObject::foreground>("foreground"),
                         InstanceMethod<&RangeObject::signal_foreground>("signalForeground"),
                     });
}

RangeObject::RangeObject(const Napi::CallbackInfo& info) : ObjectWrap(info), range_(launch(info, launched_)) {}

void RangeObject::terminate(const Napi::CallbackInfo&) {
  if (launched_) Engine::instance().terminate(range_);
}

void RangeObject::kill(const Napi::CallbackInfo&) {
  if (launched_) Engine::instance().kill(range_);
}

void RangeObject::stream_closed(const Napi::CallbackInfo& info) {
  if (!launched_) return;
  Engine::instance().stream_closed(range_, info[0].As<Napi::Number>().Int32Value() == 2 ? 2 : 1);
}

os::Collector& RangeObject::collector(const Napi::CallbackInfo& info) const {
  const auto& collector = range_->collector(info[0].As<Napi::Number>().Int32Value() == 2 ? 2 : 1);
  if (!collector) throw Napi::Error::New(info.Env(), "this stream is not collected");
  return *collector;
}

Napi::Value RangeObject::read_bytes(const Napi::CallbackInfo& info) {
  return within_memory(info.Env(), [&] {
    const TailRing::Snapshot window = collector(info).ring().read(offset_argument(info, 1));
    Napi::ArrayBuffer memory = Napi::ArrayBuffer::New(info.Env(), window.size());
    if (window.size() > 0) window.copy(static_cast<std::byte*>(memory.Data()));
    return answer(info.Env(), Napi::Uint8Array::New(info.Env(), window.size(), memory, 0), window.end, window.lossy);
  });
}

Napi::Value RangeObject::read_text(const Napi::CallbackInfo& info) {
  return within_memory(info.Env(), [&] { return text_of(info.Env(), collector(info).ring().read(offset_argument(info, 1))); });
}

Napi::Value RangeObject::peek(const Napi::CallbackInfo& info) {
  const TailRing& ring = collector(info).ring();
  const std::uint64_t total = ring.total();
  const TailRing::Snapshot last = ring.read(total > 3 ? total - 3 : 0);
  Napi::Array result = Napi::Array::New(info.Env(), 3);
  result[0u] = Napi::Number::New(info.Env(), static_cast<double>(last.end));
  result[1u] = Napi::Number::New(info.Env(), static_cast<double>(last.end - (last.sealed ? 0 : cut_at_end(last))));
  result[2u] = Napi::Boolean::New(info.Env(), last.sealed);
  return result;
}

void RangeObject::watch(const Napi::CallbackInfo& info) {
  Engine::instance().watch(range_, info[0].As<Napi::Number>().Int32Value() == 2 ? 2 : 1, offset_argument(info, 1));
}

Napi::Value RangeObject::report(const Napi::CallbackInfo& info) { return report_value(info.Env(), *range_); }

Napi::Value RangeObject::inspect(const Napi::CallbackInfo& info) {
  auto* worker = new InspectWorker(info.Env(), range_->facts().holder);
  const Napi::Promise promise = worker->promise();
  worker->Queue();
  return promise;
}

Napi::Value RangeObject::wait_pid(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(range_->wait_pid(info[0].As<Napi::Number>().Int32Value())));
}

}  // namespace holdfast::addon
