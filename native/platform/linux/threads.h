// How our threads share the processor with the host's.
#pragma once
#include <spawn.h>

namespace holdfast::linux_os {

/// Makes the calling thread one that does not take the processor away from whoever wakes it (SCHED_BATCH): a launch must
/// not run in the middle of the spawn() that has asked for it. Does nothing where the host has a policy of its own.
void let_waker_run_on();

/// Gives what is spawned from the calling thread the policy that the host has, if let_waker_run_on() has changed it: a
/// policy is inherited. 0 or an errno.
int keep_host_policy(posix_spawnattr_t& attributes, short& flags);

}  // namespace holdfast::linux_os
