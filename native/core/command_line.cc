#include "core/command_line.h"

#include <cstring>

namespace holdfast::core {

namespace {

bool holds(std::string_view text, std::string_view any) { return text.find_first_of(any) != std::string_view::npos; }
constexpr std::string_view kNul("\0", 1);

// Backslashes are plain characters unless a quote follows them: then two stand for one, and one before the quote makes it
// plain. The closing quote counts as one that follows.
void append_quoted(std::string& line, std::string_view argument, std::string_view quote) {
  std::size_t backslashes = 0;
  line += '"';
  for (const char c : argument) {
    if (c == '"') {
      line.append(backslashes, '\\').append(quote);
    } else {
      line += c;
    }
    backslashes = c == '\\' ? backslashes + 1 : 0;
  }
  line.append(backslashes, '\\');
  line += '"';
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c != '\0' && std::strchr("#$*+-./:?@\\_", c) != nullptr);
}

// For the command processor a quote is neither escaped by a backslash nor by anything else: each one switches quoting on or
// off. Doubled, it switches off and on again with nothing in between, and programs read the two as one. A percent sign cannot
// be quoted at all, so `%NAME%` is broken up by a variable that is always empty (`%cd:~,%`: no characters of the directory).
void append_for_processor(std::string& line, std::string_view argument) {
  bool quoted = argument.empty() || argument.back() == '\\';
  std::string safe;
  for (const char c : argument) {
    quoted |= !is_plain(c);
    if (c == '%') safe += "%%cd:~,";
    safe += c;
  }
  if (quoted) {
    append_quoted(line, safe, "\"\"");
  } else {
    line += safe;
  }
}

}  // namespace

std::optional<std::string> command_line(const std::vector<std::string_view>& argv) {
  if (argv.empty() || argv[0].empty() || holds(argv[0], "\"")) return std::nullopt;
  std::string line;
  // In the name a backslash never escapes: it is quoted and otherwise left alone.
  line.append("\"").append(argv[0]).append("\"");
  for (std::size_t i = 0; i < argv.size(); i++) {
    if (holds(argv[i], kNul)) return std::nullopt;
    if (i == 0) continue;
    line += ' ';
    if (!argv[i].empty() && !holds(argv[i], " \t\n\v\"")) {
      line += argv[i];
    } else {
      append_quoted(line, argv[i], "\\\"");
    }
  }
  return line;
}

bool is_batch_file(std::string_view path) {
  while (!path.empty() && (path.back() == '.' || path.back() == ' ')) path.remove_suffix(1);
  if (path.size() < 4) return false;
  std::string end(path.substr(path.size() - 4));
  for (char& c : end) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return end == ".bat" || end == ".cmd";
}

std::optional<std::string> batch_command_line(std::string_view processor, std::string_view script,
                                              const std::vector<std::string_view>& arguments) {
  if (script.empty() || script.back() == '\\' || holds(script, "\"\r\n") || holds(script, kNul)) return std::nullopt;
  if (processor.empty() || holds(processor, "\"\r\n") || holds(processor, kNul)) return std::nullopt;
  // Extensions on (the trick with the percent sign needs them), delayed expansion off (`!NAME!` stays what it is), no
  // AutoRun. With a quote first and last, exactly these two are taken away by /c.
  std::string line;
  line.append("\"").append(processor).append("\" /e:ON /v:OFF /d /c \"\"");
  for (const char c : script) {
    if (c == '%') line += "%%cd:~,";
    line += c;
  }
  line += '"';
  for (const std::string_view argument : arguments) {
    if (holds(argument, "\r\n") || holds(argument, kNul)) return std::nullopt;
    line += ' ';
    append_for_processor(line, argument);
  }
  line += '"';
  return line;
}

}  // namespace holdfast::core
