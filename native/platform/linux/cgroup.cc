#include "cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <string_view>

#include "cgroup_path.h"

namespace holdfast::linux_os {

namespace {

void remove_groups_in(int directory, int depth) {
  constexpr int kDeepest = 12;
  posix::Fd copy(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* const entries = copy ? ::fdopendir(copy.get()) : nullptr;
  if (entries == nullptr) return;
  copy.release();
  while (const dirent* entry = ::readdir(entries)) {
    if (entry->d_type != DT_DIR || entry->d_name[0] == '.') continue;
    if (::unlinkat(directory, entry->d_name, AT_REMOVEDIR) == 0 || errno != EBUSY || depth == kDeepest) continue;
    posix::Fd below(::openat(directory, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (below) remove_groups_in(below.get(), depth + 1);
    ::unlinkat(directory, entry->d_name, AT_REMOVEDIR);
  }
  ::closedir(entries);
}

std::string leaf_file(std::uint64_t range, const char* name) { return "r" + std::to_string(range) + "/" + name; }

}  // namespace

std::string unique_cgroup_name() {
  unsigned char random[4];
  if (::getentropy(random, sizeof random) != 0) memset(random, 0, sizeof random);  // the name only has to be free
  char name[64];
  snprintf(name, sizeof name, "holdfast-%d-%02x%02x%02x%02x", static_cast<int>(::getpid()), random[0], random[1], random[2],
           random[3]);
  return name;
}

std::unique_ptr<CgroupTree> CgroupTree::make(const std::string& parent, Refusal& refusal) {
  const std::string path = parent + "/" + unique_cgroup_name();
  if (::mkdir(path.c_str(), 0755) != 0) {
    const int error = errno;
    refusal.add("mkdir in " + parent + ": " + strerror(error));
    // EAGAIN is a limit of cgroup.max.descendants or cgroup.max.depth here, which does not pass by itself.
    if (error != EAGAIN) refusal.came_of(error);
    return nullptr;
  }
  auto tree = open(path, refusal);
  if (tree) {
    tree->ours_ = true;
  } else {
    ::rmdir(path.c_str());
  }
  return tree;
}

std::unique_ptr<CgroupTree> CgroupTree::open(const std::string& path, Refusal& refusal) {
  posix::Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory) return std::unique_ptr<CgroupTree>(new CgroupTree(path, std::move(directory), false));
  refusal.add("open " + path, errno);
  return nullptr;
}

std::string CgroupTree::enable(const warden::Limits& limits) {
  const struct {
    const char* name;
    bool wanted;
  } controllers[] = {{"memory", limits.memory_bytes != 0}, {"pids", limits.processes != 0}, {"cpu", limits.cpu_us != 0}};
  const std::string present = " " + read_file(directory_.get(), "cgroup.controllers");
  const std::string enabled = " " + read_file(directory_.get(), "cgroup.subtree_control");
  const auto listed = [](const std::string& words, const std::string& word) {
    return words.find(" " + word + " ") != std::string::npos || words.find(" " + word + "\n") != std::string::npos;
  };
  for (const auto& [name, wanted] : controllers) {
    if (!wanted || listed(enabled, name)) continue;
    if (!listed(present, name)) return std::string("the ") + name + " controller is not enabled for " + path_;
    const std::string word = std::string("+") + name;
    posix::Fd file(::openat(directory_.get(), "cgroup.subtree_control", O_WRONLY | O_CLOEXEC));
    if (!file || ::write(file.get(), word.data(), word.size()) < 0) {
      return std::string("the ") + name + " controller cannot be enabled in " + path_ + ": " + strerror(errno);
    }
  }
  return {};
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
  // Without it (before Linux 5.14) the members are at least kept from forking.
  if (!file) file.reset(::openat(directory_.get(), leaf_file(range, "cgroup.freeze").c_str(), O_WRONLY | O_CLOEXEC));
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

void CgroupTree::remove() const {
  if (!ours_) return;
  // Leaves that nobody has removed, or could while they had members; the kernel keeps those that still have.
  if (::rmdir(path_.c_str()) != 0 && errno == EBUSY) remove_groups_in(directory_.get(), 0);
  ::rmdir(path_.c_str());
}

}  // namespace holdfast::linux_os
