// Milliseconds of a monotonic clock, as the state machines count them.
#pragma once
#include <cstdint>
#include <limits>

namespace holdfast::core {

/// `now + ms`, at most the largest time there is: a deadline must not wrap round into the past.
constexpr std::uint64_t add_ms(std::uint64_t now, std::uint64_t ms) {
  constexpr std::uint64_t latest = std::numeric_limits<std::uint64_t>::max();
  return now > latest - ms ? latest : now + ms;
}

}  // namespace holdfast::core
