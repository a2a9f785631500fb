#include "input.h"

#include <algorithm>

namespace holdfast::windows {

void Input::start() {
  if (written_ == data_.size()) return pipe_.reset();
  static_cast<OVERLAPPED&>(*this) = {};
  file = pipe_.get();
  writing_ = shared_from_this();
  const auto want = static_cast<DWORD>(std::min<std::size_t>(data_.size() - written_, 1u << 20));
  if (::WriteFile(pipe_.get(), data_.data() + written_, want, nullptr, this) || ::GetLastError() == ERROR_IO_PENDING) return;
  const std::shared_ptr<Input> self = std::move(writing_);
  pipe_.reset();
}

void Input::complete(DWORD bytes, DWORD error) {
  const std::shared_ptr<Input> self = std::move(writing_);
  written_ += bytes;
  if (error != ERROR_SUCCESS) return pipe_.reset();
  if (pipe_) start();
}

void Input::close() {
  if (writing_) ::CancelIoEx(pipe_.get(), this);  // the handle stays until the system has let go of it
  else pipe_.reset();
}

}  // namespace holdfast::windows
