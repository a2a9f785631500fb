#include "spill_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>

namespace holdfast::posix {

namespace {

core::Failure spill_failure(int error, const char* syscall, const std::string& path) {
  return {.error = error, .code = {}, .stage = core::Stage::spill, .syscall = syscall, .subject = path};
}

}  // namespace

Fd SpillDirectory::open_private(const std::string& path, core::Failure& failure) {
  Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info;
  if (!directory || ::fstat(directory.get(), &info) != 0) {
    failure = spill_failure(errno, "open", path);
    return Fd();
  }
  // mkdtemp asks for 0700, and umask can only take bits away; another owner or other bits mean that somebody has put
  // another directory in the place of ours.
  if (info.st_uid != ::geteuid() || (info.st_mode & 077) != 0) {
    failure = spill_failure(EACCES, "fstat", path);
    return Fd();
  }
  return directory;
}

Fd SpillDirectory::open_directory(core::Failure& failure) {
  // Opened for each file and not kept: a host may name a new base directory for each of its sessions, and must not be
  // left with a descriptor for each. A cleaner may have removed ours meanwhile; then a new one is made.
  if (!path_.empty()) {
    Fd directory = open_private(path_, failure);
    if (directory) return directory;
    path_.clear();
  }
  std::string path = base_ + "/" + prefix_ + std::to_string(::getpid()) + "-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    failure = spill_failure(errno, "mkdtemp", path);
    return Fd();
  }
  Fd directory = open_private(path, failure);
  if (directory) {
    failure = {};
    path_ = std::move(path);
  } else {
    ::rmdir(path.c_str());
  }
  return directory;
}

bool SpillDirectory::create(const char* label, Fd& file, std::string& path, core::Failure& failure) {
  std::lock_guard lock(mutex_);
  const Fd directory = open_directory(failure);
  if (!directory) return false;

  unsigned char random[6];
  if (::getentropy(random, sizeof random) != 0) {
    failure = spill_failure(errno, "getentropy", path_);
    return false;
  }
  char name[128];
  snprintf(name, sizeof name, "%d-%u-%02x%02x%02x%02x%02x%02x-%s.log", static_cast<int>(::getpid()), next_++, random[0],
           random[1], random[2], random[3], random[4], random[5], label);
  const std::string full = prefix_ + name;
  path = path_ + "/" + full;
  file.reset(::openat(directory.get(), full.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file) return true;
  failure = spill_failure(errno, "open", path);
  // Nothing at this path is ours, whatever is there; and a directory that was made for nothing goes again.
  path.clear();
  if (::rmdir(path_.c_str()) == 0) path_.clear();
  return false;
}

void SpillDirectory::remove_if_empty() {
  std::lock_guard lock(mutex_);
  // ENOTEMPTY: somebody still wants the files.
  if (!path_.empty() && ::rmdir(path_.c_str()) == 0) path_.clear();
}

bool SpillFile::open(SpillDirectory& directory, const char* label, core::Failure& failure) {
  return directory.create(label, file_, path_, failure);
}

bool SpillFile::append(std::span<const std::byte> bytes, core::Failure& failure) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file_.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      // A short write is followed by the real reason at the next call; 0 for a regular file means no progress.
      failure = spill_failure(n < 0 ? errno : EIO, "write", path_);
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    size_ += static_cast<std::uint64_t>(n);
  }
  return true;
}

bool SpillFile::close(core::Failure& failure) {
  // A cleaner of temp directories may have taken it away while it was written. Then there is no file to name.
  struct stat info;
  if (::fstat(file_.get(), &info) == 0 && info.st_nlink == 0) {
    failure = spill_failure(ENOENT, "fstat", path_);
    return false;
  }
  // EINTR from close(2) on Linux: the descriptor is gone and the data is with the kernel; not a failure of the file.
  if (::close(file_.release()) == 0 || errno == EINTR) return true;
  failure = spill_failure(errno, "close", path_);
  return false;
}

void SpillFile::discard() {
  file_.reset();
  if (!path_.empty()) ::unlink(path_.c_str());
  path_.clear();
}

}  // namespace holdfast::posix
