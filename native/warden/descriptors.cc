#include "descriptors.h"

#include "format.h"
#include "sys.h"

namespace holdfast::warden {

int place(Placement* plan, int count) {
  for (int i = 0; i < count; ++i) {
    if (plan[i].source >= kFirstFree) continue;
    const long moved = sys::call(__NR_fcntl, plan[i].source, F_DUPFD_CLOEXEC, kFirstFree);
    if (moved < 0) return static_cast<int>(moved);
    plan[i].source = static_cast<int>(moved);
  }
  for (int i = 0; i < count; ++i) {
    const long done = sys::dup3(plan[i].source, plan[i].target, plan[i].close_on_exec ? O_CLOEXEC : 0);
    if (done < 0) return static_cast<int>(done);
  }
  return 0;
}

namespace {

int number_of(const char* name) {
  int number = 0;
  for (; *name != 0; ++name) {
    if (*name < '0' || *name > '9' || number > 100000000) return -1;
    number = number * 10 + (*name - '0');
  }
  return number;
}

}  // namespace

void close_from(int first) {
  if (sys::call(__NR_close_range, first, ~0u, 0) == 0) return;
  const long opened = sys::openat(AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY);
  if (opened < 0) return;
  const int list = static_cast<int>(opened);
  // Closing while listing: entries are kept by number, so what is closed is behind the position already.
  alignas(8) char buffer[1024];
  long size;
  while ((size = sys::call(__NR_getdents64, list, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const sys::DirectoryEntry*>(buffer + at);
      at += entry->length;
      if (entry->name()[0] == '.') continue;
      const int fd = number_of(entry->name());
      if (fd >= first && fd != list) sys::close(fd);
    }
  }
  sys::close(list);
}

void null_standard_streams() {
  const long null = sys::call(__NR_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
  if (null < 0) return;
  for (int fd = 0; fd <= 2; ++fd) {
    if (fd != null) sys::dup3(static_cast<int>(null), fd, 0);
  }
  if (null > 2) sys::close(static_cast<int>(null));
}

long read_text(int fd, char* to, size_t size) {
  size_t length = 0;
  while (length + 1 < size) {
    const long got = sys::pread(fd, to + length, size - 1 - length, static_cast<long>(length));
    if (got == -EINTR) continue;
    if (got < 0) return got;
    if (got == 0) break;
    length += static_cast<size_t>(got);
  }
  to[length] = 0;
  return static_cast<long>(length);
}

long read_text(int dir, const char* path, char* to, size_t size) {
  to[0] = 0;
  const long fd = sys::openat(dir, path, O_RDONLY);
  if (fd < 0) return fd;
  const long length = read_text(static_cast<int>(fd), to, size);
  sys::close(static_cast<int>(fd));
  return length;
}

int write_text(int dir, const char* path, const char* text) {
  const long fd = sys::openat(dir, path, O_WRONLY);
  if (fd < 0) return static_cast<int>(fd);
  size_t length = 0;
  while (text[length] != 0) ++length;
  long done;
  do done = sys::write(static_cast<int>(fd), text, length);
  while (done == -EINTR);
  sys::close(static_cast<int>(fd));
  return done < 0 ? static_cast<int>(done) : 0;
}

void close_if_open(int& fd) {
  if (fd >= 0) sys::close(fd);
  fd = -1;
}

}  // namespace holdfast::warden
