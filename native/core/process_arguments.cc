#include "core/process_arguments.h"

#include <string.h>

namespace holdfast::core {

namespace {

// The string that `rest` begins with, taken away together with its NUL. One without a NUL was cut off: it is taken whole.
std::string_view take_string(std::string_view& rest) {
  const std::string_view string = rest.substr(0, rest.find('\0'));
  rest.remove_prefix(string.size() < rest.size() ? string.size() + 1 : string.size());
  return string;
}

}  // namespace

ProcessArguments parse_process_arguments(std::string_view raw) {
  int count = 0;
  if (raw.size() < sizeof count) return {};
  memcpy(&count, raw.data(), sizeof count);
  std::string_view rest = raw.substr(sizeof count);
  take_string(rest);
  // Padding up to the next word. An empty first argument cannot be told from it, and nothing depends on it.
  const std::size_t first = rest.find_first_not_of('\0');
  if (first == std::string_view::npos) return {};
  rest.remove_prefix(first);

  ProcessArguments found;
  for (int i = 0; i < count && !rest.empty(); i++) {
    const std::string_view argument = take_string(rest);
    if (i == 0) found.argv0 = argument;
  }
  const std::string_view block = rest;
  while (!rest.empty() && rest.front() != '\0') take_string(rest);
  found.environment = block.substr(0, block.size() - rest.size());
  return found;
}

}  // namespace holdfast::core
