// How Windows reads names: programs by PATH and PATHEXT, variables in any case. Pure functions on UTF-8; case is that of
// ASCII, as names of programs and variables are compared by us (the system folds more, see docs/windows.md).
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::core {

/// What PATHEXT is where it is not set.
inline constexpr std::string_view kDefaultExtensions = ".COM;.EXE;.BAT;.CMD";

/// `C:\…`, `C:/…`, `\\server\…` and `\\?\…`. Not `\dir` and not `C:file`: they depend on a current drive or directory.
bool is_absolute(std::string_view path);

/// The paths at which the program `name` is looked for, in order. A name without an extension has those of `extensions`
/// tried in each directory, one with an extension is only itself. `search` is a PATH: separated by ';', an entry may be
/// quoted, an empty one names no directory, a relative one starts at `base`. The current directory is in it only where it is
/// named.
std::vector<std::string> program_candidates(std::string_view name, std::string_view search, std::string_view extensions,
                                            std::string_view base);

/// The same for a path: itself, or with each extension where it has none. `base`: where a relative one starts.
std::vector<std::string> path_candidates(std::string_view path, std::string_view extensions, std::string_view base);

/// Value of a variable in a row of `K=V` entries, each followed by NUL; its name in any case. Empty: there is none.
std::string_view variable(std::string_view entries, std::string_view name);

/// The row as CreateProcess wants it: sorted by name without regard to case, of names that differ in case alone the last one
/// kept, and one more NUL at the end.
std::string environment_block(std::string_view entries);

}  // namespace holdfast::core
