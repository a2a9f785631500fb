// What the members of a Job are. Any thread.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base.h"

namespace holdfast::windows {

struct ProcessInfo {
  DWORD pid = 0, ppid = 0;
  char state = 'R';              // Windows tells no more than that it lives
  std::uint64_t start_time = 0;  // milliseconds since 1601: with the pid, the identity of a process
  std::uint64_t cpu_ms = 0, rss_bytes = 0;
  std::string argv0;             // name of the program's file
};

/// Those that are gone are left out.
std::vector<ProcessInfo> inspect(const std::vector<DWORD>& pids);

}  // namespace holdfast::windows
