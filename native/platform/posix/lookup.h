// Finding a program by name: the rule of resolveExecutable.
#pragma once
#include <string>
#include <string_view>

#include "core/failure.h"

namespace holdfast::posix {

struct Lookup {
  std::string path;    // absolute; empty: not found, see `error`
  int error = 0;       // ENOENT, EACCES (something was there but could not be run), or what made the lookup impossible
  std::string subject; // the candidate that `error` is about, where there is one
};

/// 0 when `path` is a regular file that this process may execute; EACCES where it is anything else that exists.
int executable(const char* path);

/// 0 when `path` is a directory that this process may enter, or what chdir(2) would say.
int enterable(const char* path);

/// Searches `name` (no separator in it) in the entries of `search`. A relative entry starts at `base`; an empty one
/// names no directory. EACCES, ENOENT and ENOTDIR of one candidate let the search go on; EIO, ELOOP, EMFILE, ENOMEM are
/// remembered and reported if nothing is found elsewhere.
Lookup look_up(std::string_view name, std::string_view search, std::string_view base);

}  // namespace holdfast::posix
