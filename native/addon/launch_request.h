// What `new Range()` is given (Binding.Range in src/binding.ts), read and handed to the engine.
#pragma once
#include <napi.h>

#include <memory>

#include "platform.h"

namespace holdfast::addon {

/// Not `launched`: no thread could be started, so the range has already failed and there is no engine to ask for anything.
/// Throws what is wrong with the request itself.
std::shared_ptr<os::Range> launch(const Napi::CallbackInfo& info, bool& launched);

}  // namespace holdfast::addon
