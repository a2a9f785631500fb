// Our threads inside the host.
#pragma once
#include <pthread.h>

namespace holdfast::posix {

/// Starts `entry` on a thread with all signals blocked: a signal for the process must be handled by a thread of the host,
/// and writing to a closed pipe must answer EPIPE here without a SIGPIPE for anybody. 0 or an errno.
int start_thread(pthread_t& thread, void* (*entry)(void*), void* argument);

/// What debuggers and top show; at most 15 characters. macOS lets a thread name nobody but itself.
void name_this_thread(const char* name);

}  // namespace holdfast::posix
