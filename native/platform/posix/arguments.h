// What posix_spawn and execve take: vectors of pointers into the strings of a launch.
#pragma once
#include <vector>

#include "range.h"

namespace holdfast::posix {

class Arguments {
 public:
  /// `launch` must stay, unchanged, for as long as this object.
  explicit Arguments(LaunchSpec& launch);

  const char* program() const { return program_; }
  char* const* argv() const { return argv_.data(); }
  char* const* envp() const { return envp_.data(); }
  /// The program becomes the first argument of /bin/sh, as execvp does it with a script without "#!".
  void run_by_shell();

 private:
  LaunchSpec& launch_;
  const char* program_;
  std::vector<char*> argv_, envp_;
};

/// Whether a program that the kernel does not know (ENOEXEC) may be a script: nothing with NUL in its first block is one.
/// A relative path begins at `directory`, or AT_FDCWD.
bool is_script(int directory, const char* program);

}  // namespace holdfast::posix
