// Why something did not work, as data: the addon turns it into a typed error, nothing here throws it.
#pragma once
#include <string>

namespace holdfast::core {

/// Where in the life of a range it happened; the `stage` of a SubprocessError.
enum class Stage { resolve, own, launch, io, spill, wait, terminal };

struct Failure {
  /// errno of the system call, or 0 where `code` says it all.
  int error = 0;
  /// A code of ours such as "OWNER_UNAVAILABLE"; empty: the name of `error`.
  std::string code;
  Stage stage = Stage::launch;
  /// The system call, or what stands for it ("spawn").
  std::string syscall;
  /// The path that it was about, or a message where `code` is ours.
  std::string subject;
};

}  // namespace holdfast::core
