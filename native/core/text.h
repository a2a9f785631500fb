// Where UTF-8 text may be cut, by the rules of the WHATWG decoder (Encoding Standard, "utf-8 decoder").
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace holdfast::core {

/// Length (0 to 3) of an incomplete character at the very end of `bytes`: a lead byte with only some of its continuation
/// bytes, all of them valid so far. Bytes that are already certain to be an error are not counted.
std::size_t incomplete_suffix(std::span<const std::byte> bytes);

/// Length (0 to 3) of the continuation bytes at the start of `bytes`: where the first character of a window that was
/// cut at any byte begins.
std::size_t partial_prefix(std::span<const std::byte> bytes);

/// Whether every byte is below 0x80: such text has the same bytes in Latin-1, which costs no decoding.
bool is_ascii(std::span<const std::byte> bytes);

}  // namespace holdfast::core
