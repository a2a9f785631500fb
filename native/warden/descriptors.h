// Descriptors and small files.
#pragma once
#include <stddef.h>

namespace holdfast::warden {

/// Lowest number that a descriptor is moved to when it must be out of the way of the fixed ones.
inline constexpr int kFirstFree = 16;

struct Placement {
  int source;
  int target;  // below kFirstFree
  bool close_on_exec;
};

/// Puts each source at its target. All sources are moved out of the way first, so that no target overwrites a source
/// that is still needed. Sources stay open where they were or were moved to. Returns 0 or -errno (EMFILE).
int place(Placement* plan, int count);

/// Closes every descriptor from `first` on. Falls back to /proc/self/fd where close_range is missing; without both,
/// nothing happens: all that the warden opens is close-on-exec anyway.
void close_from(int first);

/// The null device at 0 to 2. Without one (a chroot with no /dev) they stay as they are.
void null_standard_streams();

/// Reads a small file below a directory descriptor (or AT_FDCWD) as text, NUL-terminated and cut at size - 1 bytes.
/// Returns the bytes read or -errno.
long read_text(int dir, const char* path, char* to, size_t size);
/// The same from the start of an open descriptor.
long read_text(int fd, char* to, size_t size);

/// Writes a small text to a file that exists. Returns 0 or -errno.
int write_text(int dir, const char* path, const char* text);

void close_if_open(int& fd);

}  // namespace holdfast::warden
