#include "manager.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup_path.h"
#include "sd_bus.h"

namespace holdfast::linux_os {

namespace {

bool booted_by_systemd() {
  struct stat info;
  return ::lstat("/run/systemd/system", &info) == 0 && S_ISDIR(info.st_mode);
}

// The path of "unix:path=…[,guid=…][;…]", with its %xx. "" for anything else (an abstract socket, tcp).
std::string path_of_address(std::string_view address) {
  constexpr std::string_view kPrefix = "unix:path=";
  if (!address.starts_with(kPrefix)) return {};
  address = address.substr(kPrefix.size());
  address = address.substr(0, address.find_first_of(",;"));
  std::string path;
  for (std::size_t i = 0; i < address.size(); i++) {
    if (address[i] == '%' && i + 2 < address.size()) {
      path += static_cast<char>(strtol(std::string(address.substr(i + 1, 2)).c_str(), nullptr, 16));
      i += 2;
    } else {
      path += address[i];
    }
  }
  return path;
}

// What is wrong with a socket, "" if nothing.
std::string look_at(const std::string& path, uid_t owner) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) return path + ": " + strerror(errno);
  if (!S_ISSOCK(info.st_mode)) return path + " is no socket";
  return info.st_uid == owner ? "" : path + " belongs to another user";
}

std::string first_word(const std::string& text) { return text.substr(0, text.find_first_of(" \n")); }

// A limit of one group, as "<file> = <value>"; "" for none.
std::string limit_of(const std::string& directory) {
  for (const char* file : {"memory.max", "memory.high", "memory.swap.max", "cpu.max"}) {
    const std::string value = first_word(read_file(AT_FDCWD, (directory + "/" + file).c_str()));
    if (!value.empty() && value != "max") return std::string(file) + " = " + value;
  }
  for (const char* file : {"io.max", "cpuset.cpus", "cpuset.mems"}) {
    std::string value = read_file(AT_FDCWD, (directory + "/" + file).c_str());
    if (value.size() > 1) return std::string(file) + " = " + value.substr(0, value.find('\n'));
  }
  return {};
}

// Processes that a group may have; a very large number where it has no limit.
std::uint64_t processes_of(const std::string& directory) {
  const std::string value = first_word(read_file(AT_FDCWD, (directory + "/pids.max").c_str()));
  return value.empty() || value == "max" ? ~0ull : strtoull(value.c_str(), nullptr, 10);
}

}  // namespace

std::string manager_socket(const ManagerAddress& address, Refusal& refusal) {
  if (!booted_by_systemd()) {
    refusal.add("this system was not started by systemd (there is no /run/systemd/system)");
    return {};
  }
  const uid_t user = ::geteuid();
  std::vector<std::string> candidates;
  if (user == 0) {
    candidates = {"/run/dbus/system_bus_socket"};
  } else {
    if (const std::string path = path_of_address(address.session_bus); !path.empty()) candidates.push_back(path);
    if (address.runtime_directory.starts_with("/")) candidates.push_back(address.runtime_directory + "/bus");
    candidates.push_back("/run/user/" + std::to_string(user) + "/bus");
  }
  std::string problem;
  for (const std::string& path : candidates) {
    problem = look_at(path, user);
    if (problem.empty()) return path;
  }
  refusal.add((user == 0 ? "the system has no bus: " : "there is no user bus, so no user manager of systemd (no login session, and no lingering): ") + problem);
  return {};
}

bool manager_may_answer(const ManagerAddress& address, Refusal& refusal) {
  if (manager_socket(address, refusal).empty()) return false;
  std::string why;
  if (SdBusLibrary::load(why) != nullptr) return true;
  refusal.add(why);
  return false;
}

HostUnit host_unit() {
  HostUnit host;
  Refusal ignored;
  std::string path = unified_path(0, ignored);
  const uid_t user = ::geteuid();
  std::size_t from = 0;  // where the manager's own tree begins
  if (user != 0) {
    const std::string manager = "/user@" + std::to_string(user) + ".service";
    const std::size_t at = (path + "/").find(manager + "/");
    if (at == std::string::npos) return host;
    from = at + manager.size();
  }
  host.managed = path.size() > from && path != "/";
  while (path.size() > from && path != "/") {
    const std::size_t slash = path.rfind('/');
    const std::string name = path.substr(slash + 1);
    if (name.ends_with(".slice")) {
      host.slice = name;
      break;
    }
    if (name.find('.') != std::string::npos) host.name = name;
    host.groups.push_back(path);
    path.resize(slash == 0 ? 1 : slash);
  }
  return host;
}

std::string fewer_processes_than(const std::string& scope, const HostUnit& host) {
  const std::uint64_t there = processes_of(scope);
  for (const std::string& group : host.groups) {
    Refusal ignored;
    const std::uint64_t here = processes_of(cgroup_directory(group, ignored));
    if (here < there) return group + " has a limit that does not reach into a scope: pids.max = " + std::to_string(here);
  }
  return {};
}

std::string lifted_by_scope() {
  if (!booted_by_systemd()) return "this system was not started by systemd (there is no /run/systemd/system)";
  const HostUnit host = host_unit();
  if (!host.managed) return "this process does not live under the manager of systemd that would be asked; name the owner 'scope' to use it all the same";
  for (const std::string& group : host.groups) {
    Refusal ignored;
    const std::string directory = cgroup_directory(group, ignored);
    const std::string limit = directory.empty() ? std::string() : limit_of(directory);
    if (!limit.empty()) return std::string(group).append(" has a limit that does not reach into a scope: ").append(limit);
  }
  return {};
}

}  // namespace holdfast::linux_os
