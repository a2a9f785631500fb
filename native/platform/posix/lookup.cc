#include "lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace holdfast::posix {

int executable(const char* path) {
  struct stat info;
  if (::stat(path, &info) != 0) return errno;
  if (!S_ISREG(info.st_mode)) return EACCES;
  return ::access(path, X_OK) == 0 ? 0 : errno;
}

int enterable(const char* path) {
  struct stat info;
  if (::stat(path, &info) != 0) return errno;
  if (!S_ISDIR(info.st_mode)) return ENOTDIR;
  return ::faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

Lookup look_up(std::string_view name, std::string_view search, std::string_view base) {
  Lookup result;
  result.error = ENOENT;
  while (!search.empty()) {
    const std::size_t colon = search.find(':');
    const std::string_view entry = search.substr(0, colon);
    search = colon == std::string_view::npos ? std::string_view() : search.substr(colon + 1);
    if (entry.empty()) continue;

    std::string candidate;
    if (entry.front() != '/') candidate.append(base).append("/");
    candidate.append(entry);
    if (candidate.back() != '/') candidate += '/';
    candidate.append(name);

    const int error = executable(candidate.c_str());
    if (error == 0) return Lookup{std::move(candidate), 0, {}};
    const bool ordinary = error == ENOENT || error == ENOTDIR;
    const bool denied = error == EACCES;
    const bool remembered_failure = result.error != ENOENT && result.error != EACCES;
    if (ordinary || remembered_failure || (denied && result.error == EACCES)) continue;
    result.error = error;
    result.subject = std::move(candidate);
  }
  return result;
}

}  // namespace holdfast::posix
