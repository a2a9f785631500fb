// How a program on Windows takes its command line apart.
#pragma once
#include <string>
#include <vector>

namespace holdfast::test {

// The documented rules of CommandLineToArgvW and of the C runtime since 2008, as a model. Under Windows the same property is
// tested with the real parser (test/windows).
inline std::vector<std::string> parsed(const std::string& line) {
  std::vector<std::string> result(1);
  std::size_t i = 0;
  // The program's name: up to the closing quote, or to the first blank. Backslashes mean nothing.
  if (i < line.size() && line[i] == '"') {
    for (i++; i < line.size() && line[i] != '"'; i++) result[0] += line[i];
    i++;
  } else {
    for (; i < line.size() && line[i] != ' ' && line[i] != '\t'; i++) result[0] += line[i];
  }
  const auto blank = [&] { return i < line.size() && (line[i] == ' ' || line[i] == '\t'); };
  for (;;) {
    while (blank()) i++;
    if (i >= line.size()) return result;
    std::string argument;
    bool quoted = false;
    while (i < line.size() && (quoted || !blank())) {
      std::size_t backslashes = 0;
      for (; i < line.size() && line[i] == '\\'; i++) backslashes++;
      if (i < line.size() && line[i] == '"') {
        argument.append(backslashes / 2, '\\');
        if (backslashes % 2 == 1) {
          argument += '"';
        } else if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
          argument += '"';
          i++;
        } else {
          quoted = !quoted;
        }
        i++;
        continue;
      }
      argument.append(backslashes, '\\');
      if (i < line.size() && (quoted || !blank())) argument += line[i++];
    }
    result.push_back(argument);
  }
}

}  // namespace holdfast::test
