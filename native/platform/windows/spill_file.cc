#include "spill_file.h"

#include <algorithm>

namespace holdfast::windows {

namespace {

core::Failure spill_failure(DWORD error, const char* call, const std::string& path) {
  return {.error = errno_of(error), .code = {}, .stage = core::Stage::spill, .syscall = call, .subject = path};
}

bool is_directory(const std::string& path) {
  const DWORD attributes = ::GetFileAttributesW(widen(path).c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 &&
         (attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0;
}

}  // namespace

bool SpillDirectory::ensure(core::Failure& failure) {
  if (!path_.empty() && is_directory(path_)) return true;  // else a cleaner has taken it away
  const std::string random = random_name();
  OnlyUser only_user;
  path_ = base_ + "\\" + prefix_ + std::to_string(::GetCurrentProcessId()) + "-" + random;
  DWORD error = random.empty() ? static_cast<DWORD>(ERROR_NO_SYSTEM_RESOURCES) : only_user.error();
  if (error == 0 && !::CreateDirectoryW(widen(path_).c_str(), only_user.attributes())) error = ::GetLastError();
  if (error == 0) return true;
  failure = spill_failure(error, "CreateDirectory", path_);
  path_.clear();
  return false;
}

bool SpillDirectory::create(const char* label, Handle& file, std::string& path, core::Failure& failure) {
  std::lock_guard lock(mutex_);
  if (!ensure(failure)) return false;
  const std::string random = random_name();
  OnlyUser only_user;
  path = path_ + "\\" + prefix_ + std::to_string(::GetCurrentProcessId()) + "-" + std::to_string(next_++) + "-" + random + "-" + label + ".log";
  DWORD error = random.empty() ? static_cast<DWORD>(ERROR_NO_SYSTEM_RESOURCES) : only_user.error();
  if (error == 0) {
    file = Handle(::CreateFileW(widen(path).c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE, only_user.attributes(),
                                CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr));
    if (file) return true;
    error = ::GetLastError();
  }
  failure = spill_failure(error, "CreateFile", path);
  path.clear();
  if (::RemoveDirectoryW(widen(path_).c_str())) path_.clear();
  return false;
}

void SpillDirectory::remove_if_empty() {
  std::lock_guard lock(mutex_);
  if (!path_.empty() && ::RemoveDirectoryW(widen(path_).c_str())) path_.clear();
}

bool SpillFile::append(std::span<const std::byte> bytes, core::Failure& failure) {
  while (!bytes.empty()) {
    DWORD written = 0;
    const auto want = static_cast<DWORD>(std::min<std::size_t>(bytes.size(), 1u << 30));
    if (!::WriteFile(file_.get(), bytes.data(), want, &written, nullptr) || written == 0) {
      failure = spill_failure(::GetLastError(), "WriteFile", path_);
      return false;
    }
    bytes = bytes.subspan(written);
    size_ += written;
  }
  return true;
}

void SpillFile::discard() {
  file_.reset();
  if (!path_.empty()) ::DeleteFileW(widen(path_).c_str());
  path_.clear();
}

}  // namespace holdfast::windows
