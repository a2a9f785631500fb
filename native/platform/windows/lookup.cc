#include "lookup.h"

#include <errno.h>

#include "base.h"

namespace holdfast::windows {

Lookup first_file(const std::vector<std::string>& candidates) {
  Lookup result;
  result.error = ENOENT;
  for (const std::string& candidate : candidates) {
    const DWORD attributes = ::GetFileAttributesW(widen(candidate).c_str());
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0) return Lookup{candidate, 0, {}};
    const int error = attributes != INVALID_FILE_ATTRIBUTES ? EACCES : errno_of(::GetLastError());
    if (error == ENOENT || (result.error != ENOENT && (error == EACCES || result.error != EACCES))) continue;
    result.error = error;
    result.subject = candidate;
  }
  return result;
}

}  // namespace holdfast::windows
