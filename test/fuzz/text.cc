// Where text may be cut, against a decoder of its own: read in any pieces, each without its incomplete end, a stream gives
// the same characters as in one piece; and a window that was cut at any byte begins at a character.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/text.h"
#include "fuzz.h"

using holdfast::core::incomplete_suffix;
using holdfast::core::partial_prefix;

namespace {

/// The "utf-8 decoder" of the Encoding Standard, in its own words; code points, U+FFFD for each error.
std::u32string decode(const std::string& bytes) {
  std::u32string out;
  std::uint32_t point = 0;
  int needed = 0, seen = 0;
  std::uint8_t lower = 0x80, upper = 0xbf;
  const auto reset = [&] {
    point = 0;
    needed = seen = 0;
    lower = 0x80;
    upper = 0xbf;
  };
  for (std::size_t at = 0; at < bytes.size(); at++) {
    const auto byte = static_cast<std::uint8_t>(bytes[at]);
    if (needed == 0) {
      if (byte <= 0x7f) {
        out.push_back(byte);
      } else if (byte >= 0xc2 && byte <= 0xdf) {
        needed = 1;
        point = byte & 0x1fu;
      } else if (byte >= 0xe0 && byte <= 0xef) {
        if (byte == 0xe0) lower = 0xa0;
        if (byte == 0xed) upper = 0x9f;
        needed = 2;
        point = byte & 0xfu;
      } else if (byte >= 0xf0 && byte <= 0xf4) {
        if (byte == 0xf0) lower = 0x90;
        if (byte == 0xf4) upper = 0x8f;
        needed = 3;
        point = byte & 0x7u;
      } else {
        out.push_back(0xfffd);
      }
      continue;
    }
    if (byte < lower || byte > upper) {
      reset();
      out.push_back(0xfffd);
      at--;  // prepended to the stream again
      continue;
    }
    lower = 0x80;
    upper = 0xbf;
    point = point << 6 | (byte & 0x3fu);
    if (++seen != needed) continue;
    out.push_back(point);
    reset();
  }
  if (needed != 0) out.push_back(0xfffd);
  return out;
}

std::span<const std::byte> span_of(const std::string& text) { return {reinterpret_cast<const std::byte*>(text.data()), text.size()}; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  FuzzedDataProvider input(bytes, size);
  const std::string whole = input.ConsumeRandomLengthString(2000);
  const std::u32string expected = decode(whole);

  std::u32string joined;
  std::size_t read = 0;
  for (std::size_t there = 0; there < whole.size();) {
    there += std::min<std::size_t>(input.ConsumeIntegralInRange<std::size_t>(1, 7), whole.size() - there);
    const bool ended = there == whole.size();
    const std::string piece = whole.substr(read, there - read);
    const std::size_t held = incomplete_suffix(span_of(piece));
    PROMISE(held <= 3 && held <= piece.size());
    const std::size_t taken = ended ? piece.size() : piece.size() - held;
    joined += decode(piece.substr(0, taken));
    read += taken;
  }
  PROMISE(joined == expected);

  const std::string window = whole.substr(std::min(whole.size(), input.ConsumeIntegralInRange<std::size_t>(0, 2000)));
  const std::size_t skipped = partial_prefix(span_of(window));
  PROMISE(skipped <= 3 && skipped <= window.size());
  for (std::size_t at = 0; at < skipped; at++) PROMISE((static_cast<std::uint8_t>(window[at]) & 0xc0) == 0x80);
  return 0;
}
