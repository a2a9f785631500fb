// Between the engine's structs and the values of src/binding.ts.
#pragma once
#include <napi.h>

#include "core/fact_queue.h"
#include "platform.h"

namespace holdfast::addon {

/// Node's name of an errno ("ENOENT"), or "E<number>" for one without a name.
std::string error_name(int error);

/// Appends the six values of a fact at `index`, and moves `index` on.
void append_fact(Napi::Env env, Napi::Array values, std::uint32_t& index, const core::Fact& fact);

Napi::Value report_value(Napi::Env env, const os::Range& range);
Napi::Value members_value(Napi::Env env, const std::vector<os::ProcessInfo>& members);
Napi::Value diagnosis_value(Napi::Env env, const os::Diagnosis& diagnosis);
Napi::Value lookup_value(Napi::Env env, const Lookup& found);

}  // namespace holdfast::addon
