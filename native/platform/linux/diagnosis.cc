#include "diagnosis.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace holdfast::linux_os {

using posix::Diagnosis;
using posix::soft_limit;

namespace {

// The call itself with arguments that it must refuse: ENOSYS means that the kernel does not have it.
bool has_syscall(long number, long a, long b, long c) {
  return ::syscall(number, a, b, c, 0, 0, 0) >= 0 || errno != ENOSYS;
}

// vm.memfd_noexec = 2 refuses memory that can be run; kernels before 6.3 know neither the setting nor the flag.
bool memory_can_be_run() {
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif
  posix::Fd file(static_cast<int>(::syscall(SYS_memfd_create, "holdfast-probe", MFD_CLOEXEC | MFD_EXEC)));
  if (!file && errno == EINVAL) file.reset(static_cast<int>(::syscall(SYS_memfd_create, "holdfast-probe", MFD_CLOEXEC)));
  return static_cast<bool>(file);
}

double read_number(const char* path) {
  posix::Fd file(::open(path, O_RDONLY | O_CLOEXEC));
  char text[32] = {};
  if (!file || ::read(file.get(), text, sizeof text - 1) <= 0) return -1;
  return strtod(text, nullptr);
}

void add_kernel(Diagnosis& result, const std::shared_ptr<WardenClient>& warden) {
  const auto feature = [&result](const char* name, bool present) { result.kernel.emplace_back(name, present); };
#ifdef SYS_pidfd_open
  feature("pidfd", has_syscall(SYS_pidfd_open, -1, 0, 0));
#else
  feature("pidfd", false);
#endif
  feature("clone3", warden && warden->process().ready.has_clone3 != 0);
#ifdef SYS_close_range
  feature("closeRange", has_syscall(SYS_close_range, 1, 0, 0));
#else
  feature("closeRange", false);
#endif
  feature("cgroupKill", warden && warden->kills_leaf());
  feature("memfdExec", memory_can_be_run());
  feature("children", warden && warden->process().ready.has_children != 0);
}

void add_limits(Diagnosis& result) {
  const auto limit = [&result](const char* name, double value) {
    if (value >= 0) result.limits.emplace_back(name, value);
  };
  limit("descriptors", soft_limit(RLIMIT_NOFILE));
  limit("processes", soft_limit(RLIMIT_NPROC));
  limit("pipeMaxBytes", read_number("/proc/sys/fs/pipe-max-size"));
  limit("pipeUserPagesSoft", read_number("/proc/sys/fs/pipe-user-pages-soft"));
  limit("ptys", read_number("/proc/sys/kernel/pty/max"));
  limit("ptysInUse", read_number("/proc/sys/kernel/pty/nr"));
}

}  // namespace

Diagnosis look_around(Owners& owners, const std::string& credentials) {
  Diagnosis result;
  result.owners = owners.look(credentials, result.chosen);
  const auto& warden = owners.warden();
  if (warden) {
    result.warden_from = warden->process().from;
    result.warden_path = warden->process().path;
    result.warden_pid = warden->process().pid;
  }
  add_kernel(result, warden);
  add_limits(result);
  return result;
}

}  // namespace holdfast::linux_os
