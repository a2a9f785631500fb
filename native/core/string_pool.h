// Large strings that are used again. An environment block is built for each launch and dropped a moment later by another
// thread; malloc gives such memory back to the kernel and takes it anew each time, and the page faults cost more than
// everything else of the call.
#pragma once
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::core {

class StringPool {
 public:
  /// An empty string, with the memory of a former one where there is one. Any thread.
  std::string take() {
    std::lock_guard lock(mutex_);
    if (free_.empty()) return {};
    std::string string = std::move(free_.back());
    free_.pop_back();
    return string;
  }

  void give(std::string string) {
    if (string.capacity() > kMostBytes) return;
    string.clear();
    std::lock_guard lock(mutex_);
    if (free_.size() < kMostStrings) free_.push_back(std::move(string));
  }

 private:
  static constexpr std::size_t kMostStrings = 4;
  static constexpr std::size_t kMostBytes = 64 * 1024;

  std::mutex mutex_;
  std::vector<std::string> free_;
};

}  // namespace holdfast::core
