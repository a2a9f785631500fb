// The environment of a child, from the host's own: the scrub in one pass over environ, without a detour through objects.
// src/seam/environment.ts is the same rule in TypeScript, for hosts whose process.env is not the process's environment; a
// test holds the two together.
#pragma once
#include <string>
#include <string_view>

namespace holdfast::core {

struct ChildEnvironment {
  std::string block;  // `K=V` entries, each followed by NUL
  std::string path;   // value of PATH, empty when there is none
};

/// `inherited`: the host's environ, null-terminated; entries whose name holds KEY, PASSWORD, SECRET or TOKEN in any case
/// or begins with `managed_prefix` in any case are dropped (but not HOLDFAST_BINDING and HOLDFAST_WARDEN: a child that uses
/// this package must use the same files). `set`: `K=V` entries, `unset`: names, each followed by NUL; they win.
/// `block`: memory for the result.
ChildEnvironment child_environment(const char* const* inherited, std::string_view managed_prefix, std::string_view set,
                                   std::string_view unset, std::string block = {});

}  // namespace holdfast::core
