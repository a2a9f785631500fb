#include "core/text.h"

#include <cstring>

namespace holdfast::core {
namespace {

constexpr bool is_continuation(unsigned byte) { return byte >= 0x80 && byte <= 0xBF; }

// Length of the character that a lead byte begins; 0 for what cannot begin one.
constexpr std::size_t length_of(unsigned lead) {
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

// The second byte is where overlong forms, surrogates and what lies beyond U+10FFFF are told apart.
constexpr bool is_second(unsigned lead, unsigned byte) {
  switch (lead) {
    case 0xE0: return byte >= 0xA0 && byte <= 0xBF;
    case 0xED: return byte >= 0x80 && byte <= 0x9F;
    case 0xF0: return byte >= 0x90 && byte <= 0xBF;
    case 0xF4: return byte >= 0x80 && byte <= 0x8F;
    default: return is_continuation(byte);
  }
}

}  // namespace

std::size_t incomplete_suffix(std::span<const std::byte> bytes) {
  const std::size_t size = bytes.size();
  const auto at = [&](std::size_t back) { return std::to_integer<unsigned>(bytes[size - back]); };
  for (std::size_t have = 1; have <= 3 && have <= size; ++have) {
    const unsigned lead = at(have);
    if (is_continuation(lead)) continue;
    if (length_of(lead) <= have) return 0;
    return have == 1 || is_second(lead, at(have - 1)) ? have : 0;
  }
  return 0;
}

std::size_t partial_prefix(std::span<const std::byte> bytes) {
  std::size_t count = 0;
  while (count < 3 && count < bytes.size() && is_continuation(std::to_integer<unsigned>(bytes[count]))) ++count;
  return count;
}

bool is_ascii(std::span<const std::byte> bytes) {
  // All of it, without a way out in between: compilers make vector instructions of that.
  std::uint64_t seen = 0;
  std::size_t at = 0;
  for (; at + sizeof seen <= bytes.size(); at += sizeof seen) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    seen |= word;
  }
  for (; at < bytes.size(); ++at) seen |= std::to_integer<std::uint64_t>(bytes[at]);
  return (seen & 0x8080808080808080U) == 0;
}

}  // namespace holdfast::core
