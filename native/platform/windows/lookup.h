// Finding a program: by the names of core/windows_names.h, on this machine's disks.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::windows {

struct Lookup {
  std::string path;     // absolute; empty: not found, see `error`
  int error = 0;        // ENOENT, EACCES (a directory or something that may not be read), or another errno
  std::string subject;  // the candidate that `error` is about, where there is one
};

/// The first of `candidates` that is a file.
Lookup first_file(const std::vector<std::string>& candidates);

}  // namespace holdfast::windows
