#include "processes.h"

#include <errno.h>

namespace holdfast::posix {

bool may_be_there(int error) {
  return error != 0 && error != ENOENT && error != ESRCH && error != EACCES && error != EPERM;
}

std::vector<ProcessInfo> inspect(const std::vector<pid_t>& pids) {
  std::vector<ProcessInfo> found;
  for (const pid_t pid : pids) {
    ProcessInfo info;
    if (!read_stat(pid, info) || is_zombie(info)) continue;
    read_details(info);
    found.push_back(std::move(info));
  }
  return found;
}

}  // namespace holdfast::posix
