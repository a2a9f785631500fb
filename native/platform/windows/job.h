// One Job: what bounds a range on Windows. Whatever the command starts is born in it, cannot leave it, and dies with it; it
// dies itself with its last handle, which is ours, so the host's death ends the range.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base.h"

namespace holdfast::windows {

struct Limits {
  std::uint64_t memory_bytes = 0;
  std::uint32_t processes = 0;
  std::uint64_t cpu_us = 0;  // of processor time in each 100 ms
};

class Job {
 public:
  /// Messages go to `port` under `key`, or nowhere where there is none. 0 or a Windows error; `call` is what has failed.
  DWORD create(HANDLE port, ULONG_PTR key, const Limits& limits, const char*& call);
  HANDLE get() const { return job_.get(); }
  void close() { job_.reset(); }

  // --- any thread ---
  DWORD kill() const;
  /// How many processes live in it; none: it cannot be asked.
  std::optional<DWORD> active() const;
  std::vector<DWORD> members() const;
  struct Times {
    std::uint64_t user_us = 0, system_us = 0, peak_bytes = 0;
  };
  std::optional<Times> times() const;

 private:
  Handle job_;
};

}  // namespace holdfast::windows
