// stdin as text that was given with the launch: written into the pipe, then closed. A command that does not want it may say
// so; that is no error.
#pragma once
#include <memory>
#include <string>

#include "reactor.h"

namespace holdfast::windows {

class Input : public std::enable_shared_from_this<Input>, private Operation {
 public:
  Input(Handle pipe, std::string data) : pipe_(std::move(pipe)), data_(std::move(data)) {}
  /// Reactor thread.
  void start();
  void close();

 private:
  void complete(DWORD bytes, DWORD error) override;

  Handle pipe_;
  const std::string data_;
  std::size_t written_ = 0;
  std::shared_ptr<Input> writing_;  // this, while the system may still read from the text
};

}  // namespace holdfast::windows
