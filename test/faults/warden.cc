// The fault layer of a warden of the test build: every system call passes here (native/warden/sys.h). The plan lies beside
// the executable, because a warden has neither arguments nor an environment. No libc here either.
#include "warden/sys.h"

#include "plan.h"

namespace holdfast::warden::sys {

namespace {

fault_plan* map_plan() {
  char path[PATH_MAX + 8];
  const long size = enter6(__NR_readlinkat, AT_FDCWD, word("/proc/self/exe"), word(path), PATH_MAX, 0, 0);
  if (size <= 0) return nullptr;
  __builtin_memcpy(path + size, ".plan", 6);
  const long fd = enter6(__NR_openat, AT_FDCWD, word(path), O_RDWR | O_CLOEXEC, 0, 0, 0);
  if (fd < 0) return nullptr;
  const long address = enter6(__NR_mmap, 0, sizeof(fault_plan), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  enter6(__NR_close, fd, 0, 0, 0, 0, 0);
  return address < 0 ? nullptr : reinterpret_cast<fault_plan*>(address);
}

constinit fault_plan* g_plan = nullptr;
constinit bool g_looked = false;

constexpr uint32_t kFormat = 0170000, kRegular = 0100000;

/// A pipe, a socket or an event gives small messages whole; only a file may give less.
bool is_file(long fd) {
  struct stat_head {
    uint64_t device, inode;
#if defined(__x86_64__)
    uint64_t links;
#endif
    uint32_t mode;
    uint8_t rest[256];
  } info;
  return enter6(__NR_fstat, fd, word(&info), 0, 0, 0, 0) == 0 && (info.mode & kFormat) == kRegular;
}

}  // namespace

bool fault(long number, long a, long b, long& c, long& result) {
  static_cast<void>(b);
  if (!g_looked) {
    g_looked = true;
    g_plan = map_plan();
  }
  if (g_plan == nullptr || number >= FAULT_NUMBERS) return false;
  __atomic_add_fetch(&g_plan->warden[number], 1, __ATOMIC_SEQ_CST);
  if (g_plan->armed == 0 || g_plan->side != FAULT_WARDEN || g_plan->number != static_cast<uint32_t>(number)) return false;
  if (g_plan->error == 0) {
    if (c > 1 && is_file(a) && fault_due(g_plan)) c = static_cast<long>(fault_short(static_cast<uint64_t>(c)));
    return false;
  }
  // Of pipes and sockets only the end of the other side can be had, and that is no errno of these.
  if (g_plan->error == EIO && (number == __NR_read || number == __NR_write) && !is_file(a)) return false;
  if (!fault_due(g_plan)) return false;
  result = -g_plan->error;
  // It fails and is closed, as on a network file system.
  if (number == __NR_close) enter6(number, a, 0, 0, 0, 0, 0);
  return true;
}

}  // namespace holdfast::warden::sys
