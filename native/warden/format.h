// Numbers and short paths as text, in fixed memory. Too long a text is cut, never overrun.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace holdfast::warden {

template <size_t N>
class Text {
 public:
  Text& add(const char* text) {
    while (*text != 0 && length_ + 1 < N) text_[length_++] = *text++;
    text_[length_] = 0;
    return *this;
  }
  Text& add(uint64_t number) {
    char digits[20];
    size_t count = 0;
    do digits[count++] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    while (count != 0 && length_ + 1 < N) text_[length_++] = digits[--count];
    text_[length_] = 0;
    return *this;
  }
  const char* c_str() const { return text_; }
  size_t size() const { return length_; }

 private:
  char text_[N] = {};
  size_t length_ = 0;
};

/// "<pid>" and what follows, below proc_fd().
inline Text<64> proc_path(int pid, const char* rest) {
  Text<64> path;
  path.add(static_cast<uint64_t>(pid)).add(rest);
  return path;
}

}  // namespace holdfast::warden
