// Binding.rawMode and Binding.restoreMode of src/binding.ts.
#pragma once
#include <napi.h>

namespace holdfast::addon {

Napi::Value raw_mode(const Napi::CallbackInfo& info);
Napi::Value restore_mode(const Napi::CallbackInfo& info);

}  // namespace holdfast::addon
