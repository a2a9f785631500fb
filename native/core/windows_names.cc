#include "core/windows_names.h"

#include <algorithm>

namespace holdfast::core {

namespace {

constexpr char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

int compare_any_case(std::string_view a, std::string_view b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); i++) {
    const auto x = static_cast<unsigned char>(upper(a[i])), y = static_cast<unsigned char>(upper(b[i]));
    if (x != y) return x < y ? -1 : 1;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

bool is_separator(char c) { return c == '\\' || c == '/'; }

std::string_view take(std::string_view& list, char separator) {
  const std::string_view item = list.substr(0, list.find(separator));
  list.remove_prefix(std::min(item.size() + 1, list.size()));
  return item;
}

// A quote hides separators up to the next one and is itself no part of the entry.
std::string take_entry(std::string_view& search) {
  std::string entry;
  bool quoted = false;
  std::size_t i = 0;
  for (; i < search.size() && (quoted || search[i] != ';'); i++) {
    if (search[i] == '"') {
      quoted = !quoted;
    } else {
      entry += search[i];
    }
  }
  search.remove_prefix(std::min(i + 1, search.size()));
  return entry;
}

std::string joined(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.empty() && !is_separator(path.back())) path += '\\';
  return path.append(name);
}

std::string rooted(std::string_view path, std::string_view base) {
  if (is_absolute(path)) return std::string(path);
  // `\dir` is a path of the base's drive; `C:file` of a directory that only the system remembers, and it answers for it.
  if (!path.empty() && is_separator(path.front())) return std::string(base.substr(0, 2)).append(path);
  if (path.size() >= 2 && path[1] == ':') return std::string(path);
  return joined(base, path);
}

bool has_extension(std::string_view name) {
  const std::size_t start = name.find_last_of("\\/");
  const std::string_view last = start == std::string_view::npos ? name : name.substr(start + 1);
  const std::size_t dot = last.rfind('.');
  return dot != std::string_view::npos && dot + 1 < last.size();
}

void add_with_extensions(std::vector<std::string>& found, const std::string& path, std::string_view extensions) {
  if (has_extension(path)) {
    found.push_back(path);
    return;
  }
  if (extensions.empty()) extensions = kDefaultExtensions;
  while (!extensions.empty()) {
    const std::string_view extension = take(extensions, ';');
    if (!extension.empty()) found.push_back(path + std::string(extension));
  }
}

std::string_view name_of(std::string_view entry) {
  return entry.substr(0, entry.find('=', 1));  // a name may begin with '=': the directories of drives
}

}  // namespace

bool is_absolute(std::string_view path) {
  if (path.size() >= 2 && is_separator(path[0]) && is_separator(path[1])) return true;
  const char drive = path.empty() ? '\0' : upper(path[0]);
  return path.size() >= 3 && drive >= 'A' && drive <= 'Z' && path[1] == ':' && is_separator(path[2]);
}

std::vector<std::string> program_candidates(std::string_view name, std::string_view search, std::string_view extensions,
                                            std::string_view base) {
  std::vector<std::string> found;
  while (!search.empty()) {
    const std::string entry = take_entry(search);
    if (!entry.empty()) add_with_extensions(found, joined(rooted(entry, base), name), extensions);
  }
  return found;
}

std::vector<std::string> path_candidates(std::string_view path, std::string_view extensions, std::string_view base) {
  std::vector<std::string> found;
  add_with_extensions(found, rooted(path, base), extensions);
  return found;
}

std::string_view variable(std::string_view entries, std::string_view name) {
  while (!entries.empty()) {
    const std::string_view entry = take(entries, '\0');
    const std::string_view found = name_of(entry);
    if (found.size() < entry.size() && compare_any_case(found, name) == 0) return entry.substr(found.size() + 1);
  }
  return {};
}

std::string environment_block(std::string_view entries) {
  std::vector<std::string_view> sorted;
  while (!entries.empty()) {
    const std::string_view entry = take(entries, '\0');
    if (!entry.empty()) sorted.push_back(entry);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](std::string_view a, std::string_view b) { return compare_any_case(name_of(a), name_of(b)) < 0; });
  std::string block;
  for (std::size_t i = 0; i < sorted.size(); i++) {
    const bool replaced = i + 1 < sorted.size() && compare_any_case(name_of(sorted[i]), name_of(sorted[i + 1])) == 0;
    if (!replaced) block.append(sorted[i]).push_back('\0');
  }
  if (block.empty()) block.push_back('\0');
  block.push_back('\0');
  return block;
}

}  // namespace holdfast::core
