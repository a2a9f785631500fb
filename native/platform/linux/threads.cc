#include "threads.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>

namespace holdfast::linux_os {

namespace {

thread_local bool policy_changed = false;

}  // namespace

int start_thread(pthread_t& thread, const char* name, void* (*entry)(void*), void* argument) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error != 0) return error;
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the new thread inherits the mask: there is no moment without it
  error = pthread_create(&thread, &attributes, entry, argument);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (error == 0) pthread_setname_np(thread, name);
  return error;
}

void let_waker_run_on() {
  const sched_param none{};
  policy_changed = ::sched_getscheduler(0) == SCHED_OTHER && ::sched_setscheduler(0, SCHED_BATCH, &none) == 0;
}

int keep_host_policy(posix_spawnattr_t& attributes, short& flags) {
  if (!policy_changed) return 0;
  const sched_param none{};
  flags = static_cast<short>(flags | POSIX_SPAWN_SETSCHEDULER);
  if (const int error = posix_spawnattr_setschedpolicy(&attributes, SCHED_OTHER)) return error;
  return posix_spawnattr_setschedparam(&attributes, &none);
}

}  // namespace holdfast::linux_os
