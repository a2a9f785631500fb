#include "base.h"

#include <errno.h>

// RtlGenRandom: the system's random numbers, without another library.
extern "C" BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);

#ifndef ERROR_ELEVATION_REQUIRED  // not in the headers of mingw-w64 10
#define ERROR_ELEVATION_REQUIRED 740L
#endif

namespace holdfast::windows {

std::wstring widen(std::string_view text) {
  std::wstring wide;
  if (text.empty()) return wide;
  const int length = static_cast<int>(text.size());
  wide.resize(static_cast<std::size_t>(::MultiByteToWideChar(CP_UTF8, 0, text.data(), length, nullptr, 0)));
  ::MultiByteToWideChar(CP_UTF8, 0, text.data(), length, wide.data(), static_cast<int>(wide.size()));
  return wide;
}

std::string narrow(std::wstring_view wide) {
  std::string text;
  if (wide.empty()) return text;
  const int length = static_cast<int>(wide.size());
  text.resize(static_cast<std::size_t>(::WideCharToMultiByte(CP_UTF8, 0, wide.data(), length, nullptr, 0, nullptr, nullptr)));
  ::WideCharToMultiByte(CP_UTF8, 0, wide.data(), length, text.data(), static_cast<int>(text.size()), nullptr, nullptr);
  return text;
}

int errno_of(DWORD error) {
  switch (error) {
    case ERROR_SUCCESS: return 0;
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_DIRECTORY:
    case ERROR_INVALID_NAME:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_NETPATH:
    case ERROR_MOD_NOT_FOUND: return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_ELEVATION_REQUIRED:
    case ERROR_PRIVILEGE_NOT_HELD: return EACCES;
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_PIPE_BUSY: return EBUSY;
    case ERROR_BAD_EXE_FORMAT:
    case ERROR_EXE_MACHINE_TYPE_MISMATCH: return ENOEXEC;
    case ERROR_FILENAME_EXCED_RANGE: return ENAMETOOLONG;
    case ERROR_TOO_MANY_OPEN_FILES: return EMFILE;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT:
    case ERROR_NO_SYSTEM_RESOURCES:
    case ERROR_NOT_ENOUGH_QUOTA: return ENOMEM;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return ENOSPC;
    case ERROR_WRITE_PROTECT: return EROFS;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: return EEXIST;
    case ERROR_DIR_NOT_EMPTY: return ENOTEMPTY;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:
    case ERROR_PIPE_NOT_CONNECTED: return EPIPE;
    case ERROR_INVALID_PARAMETER: return EINVAL;
    case ERROR_NOT_SUPPORTED:
    case ERROR_CALL_NOT_IMPLEMENTED: return ENOSYS;
    case ERROR_INVALID_HANDLE: return EBADF;
    case WAIT_TIMEOUT: return ETIMEDOUT;
    default: return EIO;
  }
}

OnlyUser::OnlyUser() : attributes_{sizeof attributes_, &descriptor_, FALSE} {
  HANDLE raw = nullptr;
  DWORD used = 0;
  auto* acl = reinterpret_cast<ACL*>(list_);
  auto* user = reinterpret_cast<TOKEN_USER*>(user_);
  bool fine = ::OpenProcessToken(::GetCurrentProcess(), TOKEN_QUERY, &raw) != 0;
  const Handle token(raw);
  fine = fine && ::GetTokenInformation(token.get(), TokenUser, user_, sizeof user_, &used) &&
         ::InitializeAcl(acl, sizeof list_, ACL_REVISION) &&
         ::AddAccessAllowedAceEx(acl, ACL_REVISION, OBJECT_INHERIT_ACE | CONTAINER_INHERIT_ACE, GENERIC_ALL, user->User.Sid) &&
         ::InitializeSecurityDescriptor(&descriptor_, SECURITY_DESCRIPTOR_REVISION) &&
         ::SetSecurityDescriptorDacl(&descriptor_, TRUE, acl, FALSE) &&
         // Without this a directory would take over what its parent allows to others.
         ::SetSecurityDescriptorControl(&descriptor_, SE_DACL_PROTECTED, SE_DACL_PROTECTED);
  if (!fine) error_ = ::GetLastError();
}

std::string random_name() {
  unsigned char bytes[8];
  if (!SystemFunction036(bytes, sizeof bytes)) return {};
  std::string name;
  for (const unsigned char byte : bytes) {
    name += "0123456789abcdef"[byte >> 4];
    name += "0123456789abcdef"[byte & 15];
  }
  return name;
}

}  // namespace holdfast::windows
