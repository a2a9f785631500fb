#include "core/text.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

using holdfast::core::incomplete_suffix;
using holdfast::core::is_ascii;
using holdfast::core::partial_prefix;

namespace {

// The "utf-8 decoder" of the Encoding Standard, step by step as it is written there.
class ReferenceDecoder {
 public:
  void feed(const std::string& bytes) {
    for (std::size_t i = 0; i < bytes.size();) {
      const auto byte = static_cast<unsigned char>(bytes[i]);
      if (needed_ == 0) {
        ++i;
        start(byte);
      } else if (byte < lower_ || byte > upper_) {
        finish_with(0xFFFD);  // and the byte is looked at again
      } else {
        ++i;
        lower_ = 0x80;
        upper_ = 0xBF;
        point_ = point_ << 6 | (byte & 0x3F);
        if (++seen_ == needed_) finish_with(point_);
      }
    }
  }
  void end() {
    if (needed_ != 0) finish_with(0xFFFD);
  }
  // Bytes of the character that is not complete yet.
  std::size_t pending() const { return needed_ == 0 ? 0 : seen_ + 1; }

  std::vector<unsigned> points;

 private:
  void start(unsigned char byte) {
    if (byte <= 0x7F) {
      points.push_back(byte);
    } else if (byte >= 0xC2 && byte <= 0xDF) {
      needed_ = 1;
      point_ = byte & 0x1F;
    } else if (byte >= 0xE0 && byte <= 0xEF) {
      if (byte == 0xE0) lower_ = 0xA0;
      if (byte == 0xED) upper_ = 0x9F;
      needed_ = 2;
      point_ = byte & 0xF;
    } else if (byte >= 0xF0 && byte <= 0xF4) {
      if (byte == 0xF0) lower_ = 0x90;
      if (byte == 0xF4) upper_ = 0x8F;
      needed_ = 3;
      point_ = byte & 0x7;
    } else {
      points.push_back(0xFFFD);
    }
  }
  void finish_with(unsigned point) {
    points.push_back(point);
    point_ = 0;
    needed_ = seen_ = 0;
    lower_ = 0x80;
    upper_ = 0xBF;
  }

  unsigned point_ = 0, lower_ = 0x80, upper_ = 0xBF;
  std::size_t needed_ = 0, seen_ = 0;
};

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::vector<unsigned> decode(const std::string& bytes) {
  ReferenceDecoder decoder;
  decoder.feed(bytes);
  decoder.end();
  return decoder.points;
}

// Every byte at which the decoder's rules change, and both neighbours.
const std::string kEdges =
    "\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xC1\xC2\xDF\xE0\xE1\xEC\xED\xEE\xEF\xF0\xF1\xF3\xF4\xF5\xFF";

}  // namespace

TEST_CASE("incomplete_suffix is what a decoder still waits for, for every ending of edge bytes") {
  std::size_t wrong = 0;
  const auto check = [&](const std::string& text) {
    ReferenceDecoder decoder;
    decoder.feed(text);
    if (incomplete_suffix(bytes_of(text)) != decoder.pending()) ++wrong;
  };
  check("");
  for (const char a : kEdges) {
    check({a});
    for (const char b : kEdges) {
      check({a, b});
      for (const char c : kEdges) {
        check({a, b, c});
        for (const char d : kEdges) check({a, b, c, d});
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("text that is cut at incomplete_suffix decodes to the same characters as the whole") {
  std::mt19937 random(20240611);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::size_t length = random() % 24; length > 0; --length) text += kEdges[random() % kEdges.size()];
    const auto whole = decode(text);
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      const std::size_t kept = cut - incomplete_suffix(bytes_of(text).first(cut));
      auto parts = decode(text.substr(0, kept));
      const auto rest = decode(text.substr(kept));
      parts.insert(parts.end(), rest.begin(), rest.end());
      REQUIRE(parts == whole);
    }
  }
}

TEST_CASE("partial_prefix leads a window that was cut anywhere to its first whole character") {
  const std::string text = "a\u00e9\u20ac\U0001F600z\U0010FFFF\u0800\u07ff";
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    const std::string window = text.substr(cut);
    const std::size_t skip = partial_prefix(bytes_of(window));
    CHECK(skip <= 3);
    const auto points = decode(window.substr(skip));
    const auto whole = decode(text);
    CHECK(std::vector<unsigned>(whole.end() - static_cast<std::ptrdiff_t>(points.size()), whole.end()) == points);
  }
}

TEST_CASE("partial_prefix skips at most three bytes, and none before a character") {
  CHECK(partial_prefix(bytes_of("")) == 0);
  CHECK(partial_prefix(bytes_of("a")) == 0);
  CHECK(partial_prefix(bytes_of("\xC3\xA9")) == 0);
  CHECK(partial_prefix(bytes_of("\x80")) == 1);
  CHECK(partial_prefix(bytes_of("\x80\x80\x80\x80\x80")) == 3);
}

TEST_CASE("is_ascii finds a single byte beyond 0x7F at every place of every short text") {
  for (std::size_t size = 0; size <= 40; ++size) {
    std::string text(size, 'x');
    CHECK(is_ascii(bytes_of(text)));
    for (std::size_t at = 0; at < size; ++at) {
      for (const char byte : {'\x80', '\xC3', '\xFF'}) {
        text[at] = byte;
        CHECK_FALSE(is_ascii(bytes_of(text)));
      }
      text[at] = '\x7F';
      CHECK(is_ascii(bytes_of(text)));
    }
  }
}
