#include <cstring>

#include "platform/posix/raw_mode.h"
#include "convert.h"
#include "host.h"

namespace holdfast::addon {

Napi::Value raw_mode(const Napi::CallbackInfo& info) {
  termios before{};
  if (const int error = posix::make_raw(info[0].As<Napi::Number>().Int32Value(), before)) {
    return Napi::String::New(info.Env(), error_name(error));
  }
  return Napi::Buffer<char>::Copy(info.Env(), reinterpret_cast<const char*>(&before), sizeof before);
}

Napi::Value restore_mode(const Napi::CallbackInfo& info) {
  const auto saved = info[1].As<Napi::Uint8Array>();
  termios mode{};
  if (saved.ByteLength() != sizeof mode) throw Napi::TypeError::New(info.Env(), "not a mode that rawMode has returned");
  std::memcpy(&mode, saved.Data(), sizeof mode);
  const int error = posix::restore_mode(info[0].As<Napi::Number>().Int32Value(), mode);
  return error == 0 ? info.Env().Undefined() : Napi::Value(Napi::String::New(info.Env(), error_name(error)));
}

}  // namespace holdfast::addon
