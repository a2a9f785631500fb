// One command line out of many arguments: Windows hands a program a single string, and each program takes it apart by
// itself. UTF-8 in, UTF-8 out.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::core {

/// The line that CommandLineToArgvW and the C runtime take apart into exactly `argv`. None when there is none: the program's
/// name is not empty and has no quote in it (no escape is known for it there), and no argument holds a NUL.
std::optional<std::string> command_line(const std::vector<std::string_view>& argv);

/// Whether Windows would hand this file to the command processor: .bat or .cmd in any case, also with the dots and spaces at
/// the end that Windows ignores.
bool is_batch_file(std::string_view path);

/// The line with which `processor` (cmd.exe) runs the batch file `script` with `arguments`, none of which can become a command
/// or a variable. None where that cannot be promised: a line break or NUL anywhere, a quote in the path.
///
/// What the batch file itself does with an argument is its own affair: `echo %~1` takes the quotes off again.
std::optional<std::string> batch_command_line(std::string_view processor, std::string_view script,
                                              const std::vector<std::string_view>& arguments);

}  // namespace holdfast::core
