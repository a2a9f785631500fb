// Where a process lies in the unified (v2) hierarchy, and where that hierarchy is mounted.
#pragma once
#include <sys/types.h>

#include <string>
#include <string_view>

#include "refusal.h"

namespace holdfast::linux_os {

/// Path of a process's cgroup as /proc/<pid>/cgroup shows it, such as "/user.slice/x.scope"; `pid` 0: this process.
/// Empty: `refusal` says why there is none.
std::string unified_path(pid_t pid, Refusal& refusal);

/// The directory of such a path in a mount that can be written. Empty: `refusal` says what is wrong with each mount.
std::string cgroup_directory(const std::string& path, Refusal& refusal);

/// The directory of this process's own cgroup. Empty: `refusal` says why there is none that could be used.
std::string own_cgroup(Refusal& refusal);

/// A small file as text, "" when it cannot be read.
std::string read_file(int directory, const char* path, Refusal* refusal = nullptr);

/// Calls `use(line)` for each line, without its end.
template <typename F>
void each_line(std::string_view text, F use) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    use(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

}  // namespace holdfast::linux_os
