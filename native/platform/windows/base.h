// What every file here needs: handles that close themselves, text between UTF-8 and UTF-16, error numbers.
#pragma once
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::windows {

class Handle {
 public:
  Handle() = default;
  /// INVALID_HANDLE_VALUE and null both mean: none.
  explicit Handle(HANDLE handle) : handle_(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~Handle() { reset(); }

  HANDLE get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }
  void reset() {
    if (handle_ != nullptr) ::CloseHandle(std::exchange(handle_, nullptr));
  }

 private:
  HANDLE handle_ = nullptr;
};

/// Ill-formed text becomes U+FFFD: a file of such a name is then not found, which is the truth.
std::wstring widen(std::string_view text);
std::string narrow(std::wstring_view text);

/// The errno that Node would give for a Windows error; EIO for one that has none.
int errno_of(DWORD error);

/// Access for the user of this process and for nobody else. Valid as long as the object.
class OnlyUser {
 public:
  OnlyUser();
  SECURITY_ATTRIBUTES* attributes() { return &attributes_; }
  /// 0, or why there is no such descriptor.
  DWORD error() const { return error_; }

 private:
  // Room for a user's identity, and for a list that grants it everything.
  alignas(8) unsigned char user_[256];
  alignas(8) unsigned char list_[512];
  SECURITY_DESCRIPTOR descriptor_;
  SECURITY_ATTRIBUTES attributes_;
  DWORD error_ = 0;
};

/// 16 hexadecimal digits that nobody can guess, or empty.
std::string random_name();

}  // namespace holdfast::windows
