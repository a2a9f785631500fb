// Why an owner cannot be used: for good, or only at this moment.
#pragma once
#include <errno.h>
#include <string.h>

#include <string>

namespace holdfast::linux_os {

struct Refusal {
  std::string text;
  /// errno of something that has run out (descriptors, memory, processes); 0: trying again would not help. A command must
  /// not be held by a weaker owner, now or for ever after, because descriptors were short for a moment.
  int shortage = 0;

  void add(const std::string& why) {
    if (!text.empty()) text += "; ";
    text += why;
  }
  /// What was tried, and the errno that came of it.
  void add(const std::string& what, int error) {
    add(what + ": " + strerror(error));
    came_of(error);
  }
  void came_of(int error) {
    if (error == EMFILE || error == ENFILE || error == ENOMEM || error == EAGAIN || error == ENOBUFS) shortage = error;
  }
};

}  // namespace holdfast::linux_os
