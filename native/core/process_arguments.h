// What macOS tells of another process's start (sysctl KERN_PROCARGS2): bytes of the other process, which it may have
// overwritten since. Pure, so that it is tested and fuzzed anywhere.
#pragma once
#include <string_view>

namespace holdfast::core {

/// Parts of the text that was parsed.
struct ProcessArguments {
  std::string_view argv0;
  /// Entries, each followed by NUL. Empty where the system hides them: of its own programs, and of those with other rights.
  std::string_view environment;
};

/// `raw`: the number of arguments as an int; the path that was executed; NULs; the arguments; the environment; an empty
/// string, and what is no business of ours. Whatever is missing is empty.
ProcessArguments parse_process_arguments(std::string_view raw);

}  // namespace holdfast::core
