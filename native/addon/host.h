// What a launch needs of the host on the JS thread, and how that is made depends on the platform.
#pragma once
#include <napi.h>

#include <functional>
#include <memory>

#include "core/fact_sink.h"
#include "platform.h"

namespace holdfast::addon {

/// Ends that the request itself does not tell of.
struct Wanted {
  bool stdin_pipe, control;
};

/// Makes the pipes for the streams that the caller reads and writes himself, puts the command's ends into `request` and hands
/// the host's over as `fds` of `range` (NativeRange.fds in src/binding.ts). Made here and not on the launch thread, because the handle's
/// streams exist from the moment that spawn() returns. Running out of descriptors is no exception but a fact of the launch.
void open_host_ends(Wanted wanted, Napi::Object range, os::RangeRequest& request);

/// The command runs on a terminal of this size.
void read_terminal(const Napi::Object& size, std::uint64_t id, const std::shared_ptr<core::FactSink>& sink, os::RangeRequest& request);

/// The arguments of Binding.lookup.
void look_up(const Napi::CallbackInfo& info, std::function<void(Lookup)> done);

/// See Binding.rawMode and Binding.restoreMode.
Napi::Value raw_mode(const Napi::CallbackInfo& info);
Napi::Value restore_mode(const Napi::CallbackInfo& info);

}  // namespace holdfast::addon
