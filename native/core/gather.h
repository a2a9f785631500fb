// How long a stream of small writes may gather before it is read again: a thousand line-buffered writes become one read.
//
// At most a millisecond, and less where the pipe would fill up meanwhile, because a full pipe stops its writer.
#pragma once
#include <cstddef>
#include <cstdint>

namespace holdfast::core {

class Gather {
 public:
  /// A read of fewer bytes than this is small: the stream has been emptied, and more is probably on its way.
  static constexpr std::size_t kSmallRead = 16 * 1024;
  static constexpr std::uint64_t kLongestUs = 1000;
  /// A shorter wait costs more than it saves.
  static constexpr std::uint64_t kShortestUs = 60;

  /// After a small read: `taken` bytes came since the last wait, from a pipe of `capacity` bytes. Microseconds to wait
  /// before the next read, 0: read on.
  std::uint64_t after(std::size_t taken, std::size_t capacity) {
    if (taken > capacity / 4) {
      us_ /= 2;
    } else if (taken < capacity / 16 && us_ < kLongestUs) {
      us_ = us_ * 2 + kShortestUs < kLongestUs ? us_ * 2 + kShortestUs : kLongestUs;
    }
    return us_ < kShortestUs ? 0 : us_;
  }

 private:
  std::uint64_t us_ = kLongestUs;
};

}  // namespace holdfast::core
