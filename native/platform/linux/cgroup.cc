#include "cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include <string_view>

namespace holdfast::linux_os {

namespace {

constexpr long kCgroup2Magic = 0x63677270;  // CGROUP2_SUPER_MAGIC, linux/magic.h

std::string read_file(int directory, const char* path, Refusal* refusal = nullptr) {
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

std::string leaf_file(std::uint64_t range, const char* name) { return "r" + std::to_string(range) + "/" + name; }

template <typename F>
void each_line(std::string_view text, F use) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    use(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

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

}  // namespace

std::string own_cgroup(Refusal& refusal) {
  std::string own;
  bool listed = false;
  each_line(read_file(AT_FDCWD, "/proc/self/cgroup", &refusal), [&](std::string_view line) {
    if (!line.starts_with("0::")) return;
    own = line.substr(3);
    listed = true;
  });
  if (refusal.shortage != 0) return {};
  if (!listed) {
    refusal.add("/proc/self/cgroup shows no cgroup v2 membership");
    return {};
  }
  if (own.starts_with("/..")) {
    refusal.add("this process lives outside the root of its cgroup namespace");
    return {};
  }

  // 36 35 98:0 <root> <mount point> <options> [tags] - <type> <source> <options>
  std::string mount, root;
  each_line(read_file(AT_FDCWD, "/proc/self/mountinfo", &refusal), [&](std::string_view line) {
    const std::size_t dash = line.find(" - ");
    if (!mount.empty() || dash == std::string_view::npos || field(line.substr(dash + 3), 0) != "cgroup2") return;
    root = unescape(field(line, 3));
    mount = unescape(field(line, 4));
  });
  if (refusal.shortage != 0) return {};
  if (mount.empty()) {
    refusal.add("no cgroup v2 file system is mounted");
    return {};
  }
  if (root.starts_with("/..")) {
    refusal.add("the cgroup v2 mount was inherited from outside this cgroup namespace");
    return {};
  }
  struct statfs info;
  if (::statfs(mount.c_str(), &info) != 0 || static_cast<long>(info.f_type) != kCgroup2Magic) {
    refusal.add(mount + " is not a cgroup v2 file system");
    return {};
  }
  struct statvfs flags;
  if (::statvfs(mount.c_str(), &flags) == 0 && (flags.f_flag & ST_RDONLY) != 0) {
    refusal.add(mount + " is mounted read-only");
    return {};
  }
  if (root != "/") {
    if (own != root && !own.starts_with(root + "/")) {
      refusal.add("the cgroup v2 mount does not show this process's cgroup");
      return {};
    }
    own = own.substr(root.size());
  }
  std::string path = own == "/" || own.empty() ? mount : mount + own;

  // A path that merely exists may belong to another namespace's tree: the kernel must list us in it.
  bool member = false;
  const std::string self = std::to_string(::getpid());
  each_line(read_file(AT_FDCWD, (path + "/cgroup.procs").c_str(), &refusal), [&](std::string_view line) { member |= line == self; });
  if (!member) {
    refusal.add(path + " does not list this process");
    return {};
  }
  return path;
}

std::unique_ptr<CgroupTree> CgroupTree::make(const std::string& parent, Refusal& refusal) {
  unsigned char random[4];
  if (::getentropy(random, sizeof random) != 0) memset(random, 0, sizeof random);  // the name only has to be free
  char name[64];
  snprintf(name, sizeof name, "/holdfast-%d-%02x%02x%02x%02x", static_cast<int>(::getpid()), random[0], random[1],
           random[2], random[3]);
  std::string path = parent + name;
  if (::mkdir(path.c_str(), 0755) != 0) {
    const int error = errno;
    refusal.add("mkdir in " + parent + ": " + strerror(error));
    // EAGAIN is a limit of cgroup.max.descendants or cgroup.max.depth here, which does not pass by itself.
    if (error != EAGAIN) refusal.came_of(error);
    return nullptr;
  }
  posix::Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) {
    refusal.add("open " + path, errno);
    ::rmdir(path.c_str());
    return nullptr;
  }
  return std::unique_ptr<CgroupTree>(new CgroupTree(std::move(path), std::move(directory)));
}

bool CgroupTree::gone() const {
  return ::faccessat(directory_.get(), "cgroup.procs", F_OK, 0) != 0 && (errno == ENOENT || errno == ENODEV);
}

std::vector<pid_t> CgroupTree::members(std::uint64_t range) const {
  std::vector<pid_t> pids;
  each_line(read_file(directory_.get(), leaf_file(range, "cgroup.procs").c_str()), [&](std::string_view line) {
    const long pid = strtol(std::string(line).c_str(), nullptr, 10);
    if (pid > 1 && pid != ::getpid()) pids.push_back(static_cast<pid_t>(pid));
  });
  return pids;
}

void CgroupTree::kill(std::uint64_t range) const {
  posix::Fd file(::openat(directory_.get(), leaf_file(range, "cgroup.kill").c_str(), O_WRONLY | O_CLOEXEC));
  if (file) (void)!::write(file.get(), "1", 1);
  // Once more, one by one: cgroup.kill is Linux 5.14, and it misses a process whose first thread has ended (seen on 6.18).
  // A number from cgroup.procs that is signalled at once can only be wrong if the process ended and its number was taken
  // within these microseconds.
  for (const pid_t pid : members(range)) ::kill(pid, SIGKILL);
}

int CgroupTree::populated(std::uint64_t range) const {
  posix::Fd file(::openat(directory_.get(), leaf_file(range, "cgroup.events").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return errno == ENOENT || errno == ENODEV ? 0 : -1;
  char text[256];
  const ssize_t n = ::read(file.get(), text, sizeof text);
  if (n < 0) return errno == ENODEV ? 0 : -1;
  return std::string_view(text, static_cast<std::size_t>(n)).find("populated 1") != std::string_view::npos ? 1 : 0;
}

void CgroupTree::remove_leaf(std::uint64_t range) const {
  ::unlinkat(directory_.get(), ("r" + std::to_string(range)).c_str(), AT_REMOVEDIR);
}

void CgroupTree::remove() const { ::rmdir(path_.c_str()); }

}  // namespace holdfast::linux_os
