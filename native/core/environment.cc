#include "core/environment.h"

#include <algorithm>
#include <vector>

namespace holdfast::core {

namespace {

constexpr char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool starts_with_any_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(), [](char a, char b) { return upper(a) == upper(b); });
}

bool is_sensitive(std::string_view name) {
  for (; !name.empty(); name.remove_prefix(1)) {
    switch (upper(name.front())) {
      case 'K': if (starts_with_any_case(name, "KEY")) return true; break;
      case 'P': if (starts_with_any_case(name, "PASSWORD")) return true; break;
      case 'S': if (starts_with_any_case(name, "SECRET")) return true; break;
      case 'T': if (starts_with_any_case(name, "TOKEN")) return true; break;
      default: break;
    }
  }
  return false;
}

bool is_passed_on(std::string_view name) { return name == "HOLDFAST_BINDING" || name == "HOLDFAST_WARDEN"; }

std::string_view take(std::string_view& list) {
  const std::string_view item = list.substr(0, list.find('\0'));
  list.remove_prefix(std::min(item.size() + 1, list.size()));
  return item;
}

}  // namespace

ChildEnvironment child_environment(const char* const* inherited, std::string_view managed_prefix, std::string_view set,
                                   std::string_view unset, std::string block) {
  ChildEnvironment result;
  result.block = std::move(block);
  result.block.reserve(16 * 1024 + set.size());
  const auto add = [&result](std::string_view entry, std::string_view name) {
    result.block.append(entry).push_back('\0');
    if (name == "PATH" && result.path.empty()) result.path = entry.substr(name.size() + 1);
  };
  std::vector<std::string_view> overridden;  // few: a caller's own entries
  while (!unset.empty()) overridden.push_back(take(unset));
  while (!set.empty()) {
    const std::string_view entry = take(set);
    overridden.push_back(entry.substr(0, entry.find('=')));
    add(entry, overridden.back());
  }
  for (; inherited != nullptr && *inherited != nullptr; inherited++) {
    const std::string_view entry(*inherited);
    const std::size_t equals = entry.find('=', 1);  // a name may begin with '=' on Windows, and nowhere holds another one
    if (equals == std::string_view::npos) continue;
    const std::string_view name = entry.substr(0, equals);
    if (is_sensitive(name) || (starts_with_any_case(name, managed_prefix) && !is_passed_on(name))) continue;
    if (std::find(overridden.begin(), overridden.end(), name) != overridden.end()) continue;
    add(entry, name);
  }
  return result;
}

}  // namespace holdfast::core
