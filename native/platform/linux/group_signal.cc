#include <errno.h>

#include "platform/posix/foreground.h"
#include "pidfd.h"

namespace holdfast::posix {

// Linux 6.9. The same number in the foreground again, with the handle open: the handle is of that group.
int signal_group_by_handle(const Terminal& terminal, pid_t group, int signal) {
  constexpr unsigned kProcessGroup = 1u << 2;  // PIDFD_SIGNAL_PROCESS_GROUP
  const Fd handle(linux_os::open_pidfd(group));
  if (handle && foreground_group(terminal) == group) {
    if (linux_os::send_signal(handle.get(), signal, kProcessGroup) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS && errno != EPERM) return errno;
  }
  return ENOSYS;
}

}  // namespace holdfast::posix
