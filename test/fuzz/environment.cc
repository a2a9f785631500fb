// The environment of a child: no name that looks like a secret is inherited, what the caller sets is there, what he unsets
// is not, and the block is well-formed.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/environment.h"
#include "fuzz.h"

namespace {

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return text;
}

bool secret(const std::string& name) {
  const std::string big = upper(name);
  for (const char* word : {"KEY", "PASSWORD", "SECRET", "TOKEN"}) {
    if (big.find(word) != std::string::npos) return true;
  }
  return false;
}

std::string text_without_nul(FuzzedDataProvider& input, std::size_t most) {
  std::string text = input.ConsumeRandomLengthString(most);
  std::erase(text, '\0');
  return text;
}

std::string name_of(const std::string& entry) { return entry.substr(0, entry.find('=', 1)); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  FuzzedDataProvider input(bytes, size);
  const std::string prefix = input.ConsumeBool() ? "HOLDFAST_" : text_without_nul(input, 8) + "_";
  std::vector<std::string> host;
  for (int count = input.ConsumeIntegralInRange(0, 12); count > 0; count--) host.push_back(text_without_nul(input, 40));
  std::string set, unset;
  std::set<std::string> set_names, unset_names, set_entries;
  for (int count = input.ConsumeIntegralInRange(0, 4); count > 0; count--) {
    std::string name = text_without_nul(input, 10);
    std::erase(name, '=');
    if (name.empty() || !set_names.insert(name).second) continue;
    const std::string entry = name + "=" + text_without_nul(input, 10);
    set_entries.insert(entry);
    set += entry + '\0';
  }
  for (int count = input.ConsumeIntegralInRange(0, 4); count > 0; count--) {
    const std::string name = text_without_nul(input, 10);
    if (name.empty() || set_names.contains(name)) continue;
    unset_names.insert(name);
    unset += name + '\0';
  }
  std::vector<const char*> inherited;
  for (const std::string& entry : host) inherited.push_back(entry.c_str());
  inherited.push_back(nullptr);

  const auto child = holdfast::core::child_environment(inherited.data(), prefix, set, unset);
  PROMISE(child.block.empty() || child.block.back() == '\0');
  std::multiset<std::string> entries;
  for (std::size_t at = 0; at < child.block.size(); at = child.block.find('\0', at) + 1) entries.insert(child.block.substr(at, child.block.find('\0', at) - at));
  for (const std::string& entry : set_entries) PROMISE(entries.count(entry) >= 1);
  for (const std::string& entry : entries) {
    if (set_entries.contains(entry)) continue;
    const std::string name = name_of(entry);
    PROMISE(std::find(host.begin(), host.end(), entry) != host.end());
    PROMISE(!secret(name));
    PROMISE(!unset_names.contains(name) && !set_names.contains(name));
    if (name != "HOLDFAST_BINDING" && name != "HOLDFAST_WARDEN") PROMISE(upper(name).compare(0, prefix.size(), upper(prefix)) != 0);
  }
  return 0;
}
