// What macOS does not show of terminals.
#include <errno.h>

#include "platform/posix/foreground.h"
#include "platform/posix/tty_wait.h"

namespace holdfast::posix {

InputWait input_wait(const TtyIdentity&, pid_t, const std::vector<pid_t>&) { return InputWait::unseen; }

int signal_group_by_handle(const Terminal&, pid_t, int) { return ENOSYS; }

}  // namespace holdfast::posix
