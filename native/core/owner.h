// The five kinds of owner. The names are part of the public API.
#pragma once
#include <optional>
#include <string_view>

namespace holdfast::core {

enum class Owner { cgroup, scope, subreaper, job, group };

inline constexpr Owner kOwners[] = {Owner::cgroup, Owner::scope, Owner::subreaper, Owner::job, Owner::group};

constexpr const char* name(Owner owner) {
  switch (owner) {
    case Owner::cgroup: return "cgroup";
    case Owner::scope: return "scope";
    case Owner::subreaper: return "subreaper";
    case Owner::job: return "job";
    case Owner::group: return "group";
  }
  return "";
}

constexpr std::optional<Owner> owner_named(std::string_view text) {
  for (const Owner owner : kOwners) {
    if (text == name(owner)) return owner;
  }
  return std::nullopt;
}

}  // namespace holdfast::core
