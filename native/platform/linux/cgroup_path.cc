#include "cgroup_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "platform/posix/descriptors.h"

namespace holdfast::linux_os {

namespace {

constexpr long kCgroup2Magic = 0x63677270;  // CGROUP2_SUPER_MAGIC, linux/magic.h

std::string_view field(std::string_view line, int index) {
  for (int i = 0; i < index; i++) {
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return {};
    line = line.substr(space + 1);
  }
  return line.substr(0, line.find(' '));
}

// mountinfo writes blanks, tabs and backslashes of a path as \ooo.
std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); i++) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      out += static_cast<char>(strtol(std::string(text.substr(i + 1, 3)).c_str(), nullptr, 8));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

// What is wrong with a mount, "" if nothing is; then `directory` is the group of `path` in it.
std::string look_in(const std::string& mount, const std::string& root, const std::string& path, std::string& directory) {
  if (root.starts_with("/..")) return mount + " was mounted outside this cgroup namespace";
  struct statfs info;
  if (::statfs(mount.c_str(), &info) != 0) return mount + ": " + strerror(errno);
  if (static_cast<long>(info.f_type) != kCgroup2Magic) return mount + " is covered by another file system";
  struct statvfs flags;
  if (::statvfs(mount.c_str(), &flags) == 0 && (flags.f_flag & ST_RDONLY) != 0) return mount + " is mounted read-only";
  std::string below = path;
  if (root != "/") {
    if (path != root && !path.starts_with(root + "/")) return mount + " does not show the group " + path;
    below = path.substr(root.size());
  }
  directory = below == "/" || below.empty() ? mount : mount + below;
  return {};
}

}  // namespace

std::string read_file(int directory, const char* path, Refusal* refusal) {
  std::string text;
  posix::Fd file(::openat(directory, path, O_RDONLY | O_CLOEXEC));
  if (!file && refusal != nullptr) refusal->add(path, errno);
  if (!file) return text;
  char buffer[4096];
  for (;;) {
    const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

std::string unified_path(pid_t pid, Refusal& refusal) {
  const std::string file = pid == 0 ? "/proc/self/cgroup" : "/proc/" + std::to_string(pid) + "/cgroup";
  std::string path;
  bool listed = false;
  const std::size_t before = refusal.text.size();
  each_line(read_file(AT_FDCWD, file.c_str(), &refusal), [&](std::string_view line) {
    if (!line.starts_with("0::")) return;
    path = line.substr(3);
    listed = true;
  });
  if (refusal.text.size() != before) return {};
  if (!listed) {
    refusal.add(file + " shows no cgroup v2 membership");
    return {};
  }
  if (path.starts_with("/..")) {
    refusal.add(file + " shows a group outside of this cgroup namespace");
    return {};
  }
  return path;
}

// There may be several mounts, of which the first need not be the one that works: a container engine's read-only one, or
// one inherited from outside the namespace, beside one that somebody has made to be written.
std::string cgroup_directory(const std::string& path, Refusal& refusal) {
  std::string directory;
  bool any = false;
  // 36 35 98:0 <root> <mount point> <options> [tags] - <type> <source> <options>
  each_line(read_file(AT_FDCWD, "/proc/self/mountinfo", &refusal), [&](std::string_view line) {
    const std::size_t dash = line.find(" - ");
    if (!directory.empty() || dash == std::string_view::npos || field(line.substr(dash + 3), 0) != "cgroup2") return;
    any = true;
    const std::string problem = look_in(unescape(field(line, 4)), unescape(field(line, 3)), path, directory);
    if (!problem.empty()) refusal.add(problem);
  });
  if (!any && refusal.shortage == 0) refusal.add("no cgroup v2 file system is mounted");
  return directory;
}

std::string own_cgroup(Refusal& refusal) {
  const std::string own = unified_path(0, refusal);
  if (own.empty()) return {};
  Refusal mounts;
  const std::string path = cgroup_directory(own, mounts);
  if (path.empty()) {
    refusal.add(mounts.text);
    refusal.came_of(mounts.shortage);
    return {};
  }
  // A path that merely exists may belong to another namespace's tree: the kernel must list us in it.
  bool member = false;
  const std::string self = std::to_string(::getpid());
  const std::size_t before = refusal.text.size();
  each_line(read_file(AT_FDCWD, (path + "/cgroup.procs").c_str(), &refusal), [&](std::string_view line) { member |= line == self; });
  if (!member && refusal.text.size() == before) refusal.add(path + " does not list this process");
  return member ? path : std::string();
}

}  // namespace holdfast::linux_os
