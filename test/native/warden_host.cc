#include "warden_host.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace holdfast::test {

namespace {

using Clock = std::chrono::steady_clock;

int left_ms(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return left > 0 ? static_cast<int>(left) : 0;
}

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void send_message(int channel, const void* bytes, size_t size, const std::vector<int>& fds) {
  iovec vector = {const_cast<void*>(bytes), size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxFds)] = {};
  msghdr message = {};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    std::memcpy(CMSG_DATA(head), fds.data(), sizeof(int) * fds.size());
  }
  if (sendmsg(channel, &message, MSG_NOSIGNAL) < 0) fail("sendmsg to the warden");
}

/// Makes this process, and what it executes, see an older kernel.
void hide_new_calls() {
  const unsigned calls[] = {__NR_clone3, __NR_pidfd_open, __NR_pidfd_send_signal, __NR_close_range};
  std::vector<sock_filter> program = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const unsigned call : calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) _exit(126);
}

}  // namespace

std::string make_block(const Command& command) {
  const std::string program = command.program.empty() ? command.argv.at(0) : command.program;
  const size_t entries = 1 + command.argv.size() + 1 + command.env.size() + 1;
  std::vector<uint64_t> table(entries, 0);
  LaunchBlock head = {};
  head.argc = static_cast<uint32_t>(command.argv.size());
  head.envc = static_cast<uint32_t>(command.env.size());
  head.table_offset = sizeof head;
  head.state = command.state;
  std::string strings;
  const size_t base = sizeof head + entries * sizeof(uint64_t);
  const auto add = [&](const std::string& text) {
    const size_t at = base + strings.size();
    strings.append(text.c_str(), text.size() + 1);
    return static_cast<uint32_t>(at);
  };
  head.program_offset = add(program);
  head.cwd_offset = add(command.cwd);
  size_t slot = 1;
  for (const std::string& argument : command.argv) table[slot++] = add(argument);
  ++slot;
  for (const std::string& entry : command.env) table[slot++] = add(entry);
  head.size = static_cast<uint32_t>(base + strings.size());
  std::string block(reinterpret_cast<const char*>(&head), sizeof head);
  block.append(reinterpret_cast<const char*>(table.data()), entries * sizeof(uint64_t));
  return block + strings;
}

std::string cgroup_of_this_process() {
  std::string root, prefix;
  std::istringstream mounts(slurp("/proc/self/mountinfo"));
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(" - cgroup2 ") == std::string::npos) continue;
    std::istringstream fields(line);
    std::string skip;
    fields >> skip >> skip >> skip >> prefix >> root;
  }
  std::istringstream groups(slurp("/proc/self/cgroup"));
  for (std::string line; std::getline(groups, line);) {
    if (line.rfind("0::/", 0) == 0 && !root.empty()) return root + (line.size() > 4 ? line.substr(3) : "");
  }
  return "";
}

int Run::exit_code() const { return WIFEXITED(exit.status) ? WEXITSTATUS(exit.status) : -1; }
int Run::signal() const { return WIFSIGNALED(exit.status) ? WTERMSIG(exit.status) : 0; }

CgroupDirectory::CgroupDirectory() {
  static int count = 0;
  const std::string here = cgroup_of_this_process();
  if (here.empty()) return;
  path_ = here + "/holdfast-test-" + std::to_string(getpid()) + "-" + std::to_string(++count);
  if (mkdir(path_.c_str(), 0755) != 0) return;
  fd_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

CgroupDirectory::~CgroupDirectory() {
  if (fd_ >= 0) close(fd_);
  if (!path_.empty()) rmdir(path_.c_str());  // the warden has removed it where it ended by itself
}

Host::Host(Kernel kernel) {
  const char* binary = std::getenv("HOLDFAST_WARDEN_BINARY");
  if (binary == nullptr) throw std::runtime_error("set HOLDFAST_WARDEN_BINARY to the path of the built warden");
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) fail("socketpair");
  channel_ = ends[0];
  // Through a high number: a dup2 of 3 onto itself would leave it close-on-exec.
  const int high = fcntl(ends[1], F_DUPFD_CLOEXEC, 100);
  pid_ = fork();
  if (pid_ < 0) fail("fork");
  if (pid_ == 0) {
    if (kernel == Kernel::old) hide_new_calls();
    dup2(high, kChannelFd);
    execl(binary, binary, static_cast<char*>(nullptr));
    _exit(127);
  }
  close(high);
  close(ends[1]);
  if (!wait([&] { return ready_seen_; })) throw std::runtime_error("the warden did not report ready");
}

Host::~Host() {
  die();
  if (!warden_ended(30000) && pid_ > 0) {
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (auto& [range, run] : runs_) {
    for (const int fd : {run->out, run->control}) {
      if (fd >= 0) close(fd);
    }
  }
}

void Host::die() {
  if (channel_ >= 0) close(channel_);
  channel_ = -1;
  for (auto& [range, run] : runs_) {
    if (run->channel >= 0) close(run->channel);
    run->channel = -1;
  }
}

bool Host::warden_ended(int ms) {
  return eventually(
      [&] {
        int status;
        if (pid_ > 0 && waitpid(pid_, &status, WNOHANG) == pid_) {
          exit_status_ = status;
          pid_ = 0;
        }
        return pid_ == 0;
      },
      ms);
}

bool Host::close_and_wait(int ms) {
  die();
  return warden_ended(ms) && exit_status_ == 0;
}

bool Host::adopt() {
  directory_ = std::make_unique<CgroupDirectory>();
  if (!directory_->ok()) return false;
  SubtreeRequest request = {};
  request.header = {Kind::adopt_subtree, 0, sizeof request, 0};
  request.hold = Hold::cgroup;
  request.path_length = static_cast<uint32_t>(directory_->path().size());
  std::memcpy(request.path, directory_->path().data(), directory_->path().size());
  subtree_seen_ = false;
  send_message(channel_, &request, sizeof request, {directory_->fd()});
  if (!wait([&] { return subtree_seen_; })) throw std::runtime_error("the subtree was not answered");
  return subtree_.step == ProbeStep::done;
}

Run& Host::start(const Command& command) {
  auto& run = *(runs_[next_] = std::make_unique<Run>());
  run.range = next_++;
  const std::string block = command.raw_block ? command.block : make_block(command);
  std::vector<int> fds;
  if (command.block_in_pipe) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
    if (write(ends[1], block.data(), block.size()) != static_cast<ssize_t>(block.size())) fail("write");
    close(ends[1]);
    fds.push_back(ends[0]);
  } else {
    fds.push_back(memfd_create("launch", MFD_CLOEXEC));
    if (write(fds[0], block.data(), block.size()) != static_cast<ssize_t>(block.size())) fail("write");
  }
  fds.push_back(open("/dev/null", O_RDWR | O_CLOEXEC));
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) fail("pipe");
  run.out = out[0];
  fds.push_back(out[1]);
  fds.push_back(out[1]);
  int control[2] = {-1, -1};
  if (command.control) {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) != 0) fail("socketpair");
    run.control = control[0];
    fds.push_back(control[1]);
  }
  int supervisor[2] = {-1, -1};
  if (command.hold == Hold::subreaper) {
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, supervisor) != 0) fail("socketpair");
    run.channel = supervisor[0];
    fds.push_back(supervisor[1]);
  }
  LaunchRequest request = {};
  request.header = {Kind::launch, 0, sizeof request, run.range};
  request.hold = command.hold;
  request.has_control = command.control ? 1 : 0;
  request.block_size = static_cast<uint32_t>(block.size());
  send_message(channel_, &request, sizeof request, fds);
  close(fds[0]);
  close(fds[1]);
  close(out[1]);
  if (control[1] >= 0) close(control[1]);
  if (supervisor[1] >= 0) close(supervisor[1]);
  return run;
}

void Host::ask(Run& run, Kind kind) {
  const Header request = {kind, 0, sizeof request, run.range};
  if (run.channel >= 0) {
    // The supervisor may just have ended; then there is nothing to ask for any more.
    [[maybe_unused]] const ssize_t sent = ::send(run.channel, &request, sizeof request, MSG_NOSIGNAL);
  } else {
    send_message(channel_, &request, sizeof request, {});
  }
}

void Host::ask_warden(Run& run, Kind kind) {
  const Header request = {kind, 0, sizeof request, run.range};
  send_message(channel_, &request, sizeof request, {});
}

void Host::send_raw(const void* bytes, size_t size) { send_message(channel_, bytes, size, {}); }

bool Host::ping(int ms) {
  const unsigned before = pongs_;
  const Header request = {Kind::ping, 0, sizeof request, 0};
  send_message(channel_, &request, sizeof request, {});
  return wait([&] { return pongs_ > before; }, ms);
}

bool Host::wait(const std::function<bool()>& done, int ms) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(ms);
  while (!done()) {
    const int left = left_ms(deadline);
    if (left == 0) return false;
    pump(left < 50 ? left : 50);
  }
  return true;
}

void Host::pump(int ms) {
  std::vector<pollfd> polled = {{channel_, POLLIN, 0}};
  std::vector<Run*> runs = {nullptr};
  for (auto& [range, run] : runs_) {
    if (run->channel < 0) continue;
    polled.push_back({run->channel, POLLIN, 0});
    runs.push_back(run.get());
  }
  poll(polled.data(), polled.size(), ms);
  for (size_t i = 0; i < polled.size(); ++i) {
    if (polled[i].revents != 0) take(polled[i].fd, runs[i]);
  }
}

void Host::take(int fd, Run* owner) {
  alignas(8) char bytes[8192];
  for (;;) {
    const ssize_t size = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) {
      if (owner == nullptr) {
        gone_ = true;
        return;
      }
      close(owner->channel);
      owner->channel = -1;
      owner->channel_closed = true;
      return;
    }
    Header header;
    std::memcpy(&header, bytes, sizeof header);
    if (header.size != static_cast<uint32_t>(size)) throw std::runtime_error("a message lies about its size");
    const auto as = [&](auto& event) {
      if (header.size != sizeof event) throw std::runtime_error("a message has the wrong size");
      std::memcpy(&event, bytes, sizeof event);
    };
    if (header.kind == Kind::ready) as(ready_), ready_seen_ = true;
    if (header.kind == Kind::subtree) as(subtree_), subtree_seen_ = true;
    if (header.kind == Kind::pong) ++pongs_;
    if (header.kind == Kind::escaped && header.range == 0) as(unattributed_.emplace_back());
    const auto found = runs_.find(header.range);
    if (found == runs_.end()) continue;
    Run& run = *found->second;
    if (run.over()) throw std::runtime_error("an event came after the last one of its range");
    StartedEvent started = {};
    MemberEvent member = {};
    switch (header.kind) {
      case Kind::started:
        as(started), run.pid = started.pid, run.started = true;
        break;
      case Kind::failed:
        as(run.failure), run.failed = true;
        break;
      case Kind::exited:
        as(run.exit), run.exited = true;
        break;
      case Kind::stray:
        as(member), run.strays.push_back(member);
        break;
      case Kind::escaped:
        as(member), run.escaped.push_back(member);
        break;
      case Kind::empty:
        as(run.end), run.empty = true;
        break;
      default:
        break;
    }
  }
}

std::string read_all(int fd, int ms) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(ms);
  std::string text;
  for (;;) {
    pollfd polled = {fd, POLLIN, 0};
    if (poll(&polled, 1, left_ms(deadline)) <= 0) return text + "<no end>";
    char bytes[4096];
    const ssize_t size = read(fd, bytes, sizeof bytes);
    if (size <= 0) return text;
    text.append(bytes, static_cast<size_t>(size));
  }
}

namespace {

/// What follows the name in /proc/<pid>/stat: "S 1 …"; empty when there is no such process.
std::string after_name(int pid) {
  const std::string stat = slurp("/proc/" + std::to_string(pid) + "/stat");
  const size_t name_end = stat.rfind(')');
  return name_end == std::string::npos || stat.size() < name_end + 4 ? "" : stat.substr(name_end + 2);
}

}  // namespace

char state_of(int pid) {
  const std::string stat = after_name(pid);
  return stat.empty() ? 'X' : stat[0];
}

int parent_of(int pid) {
  const std::string stat = after_name(pid);
  return stat.empty() ? 0 : std::atoi(stat.c_str() + 2);
}

bool alive(int pid) { return state_of(pid) != 'Z' && state_of(pid) != 'X'; }

std::vector<int> marked(const std::string& entry, const std::string& name) {
  std::vector<int> pids;
  DIR* proc = opendir("/proc");
  while (const dirent* item = readdir(proc)) {
    const int pid = std::atoi(item->d_name);
    if (pid <= 0 || !alive(pid)) continue;
    const std::string environment = '\0' + slurp("/proc/" + std::to_string(pid) + "/environ");
    if (environment.find('\0' + entry + '\0') == std::string::npos) continue;
    if (name.empty() || slurp("/proc/" + std::to_string(pid) + "/comm") == name + "\n") pids.push_back(pid);
  }
  closedir(proc);
  return pids;
}

bool eventually(const std::function<bool()>& done, int ms) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(ms);
  while (!done()) {
    if (left_ms(deadline) == 0) return false;
    usleep(2000);
  }
  return true;
}

}  // namespace holdfast::test
