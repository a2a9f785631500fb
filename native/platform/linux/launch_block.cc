#include "launch_block.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace holdfast::linux_os {

namespace {

int write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return 0;
}

// Where memfd_create is missing (Linux before 3.17) or forbidden, a pipe does if the whole block fits into it: nobody
// reads before the child does, so a longer write would block for ever.
int put_into_pipe(const std::string& block, posix::Fd& out) {
  posix::Pipe pipe;
  if (const int error = posix::make_pipe(pipe)) return error;
  if (::fcntl(pipe.write.get(), F_SETPIPE_SZ, static_cast<int>(block.size())) < 0 && block.size() > 65536) return E2BIG;
  if (const int error = write_all(pipe.write.get(), block.data(), block.size())) return error;
  out = std::move(pipe.read);
  return 0;
}

// A memfd counts as a file for RLIMIT_FSIZE, and exceeding that is a deadly signal unless it is ignored.
bool file_may_have(std::size_t size) {
  rlimit limit;
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= size;
}

int put_into_memfd(const std::string& block, posix::Fd& out) {
  if (!file_may_have(block.size())) return put_into_pipe(block, out) == 0 ? 0 : EFBIG;
  out.reset(static_cast<int>(::syscall(SYS_memfd_create, "holdfast-launch", MFD_CLOEXEC)));
  if (!out) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) return errno;
    return put_into_pipe(block, out);
  }
  if (const int error = write_all(out.get(), block.data(), block.size())) return error;
  return ::lseek(out.get(), 0, SEEK_SET) == 0 ? 0 : errno;
}

}  // namespace

int make_launch_block(const LaunchSpec& spec, const warden::HostState& state, core::StringPool& strings, posix::Fd& out,
                      std::uint32_t& size) {
  const auto argc = static_cast<std::size_t>(std::count(spec.argv.begin(), spec.argv.end(), '\0'));
  const auto envc = static_cast<std::size_t>(std::count(spec.env.begin(), spec.env.end(), '\0'));
  const std::size_t slots = 1 + argc + 1 + envc + 1;

  static_assert(sizeof(warden::LaunchBlock) % 8 == 0, "the pointer table follows the head");
  const std::size_t table = sizeof(warden::LaunchBlock);
  const std::size_t texts = table + slots * sizeof(std::uint64_t);
  const std::size_t total = texts + spec.program.size() + 1 + spec.cwd.size() + 1 + spec.argv.size() + spec.env.size();
  if (total > 0x7fffffff) return E2BIG;

  std::string block = strings.take();
  block.reserve(total);
  block.assign(texts, '\0');
  warden::LaunchBlock head{};
  head.size = static_cast<std::uint32_t>(total);
  head.argc = static_cast<std::uint32_t>(argc);
  head.envc = static_cast<std::uint32_t>(envc);
  head.table_offset = static_cast<std::uint32_t>(table);
  head.terminal = spec.terminal ? 1 : 0;
  head.state = state;
  head.program_offset = static_cast<std::uint32_t>(block.size());
  block.append(spec.program).push_back('\0');
  head.cwd_offset = static_cast<std::uint32_t>(block.size());
  block.append(spec.cwd).push_back('\0');

  std::size_t slot = table + sizeof(std::uint64_t);  // the first one is spare
  for (const std::string* list : {&spec.argv, &spec.env}) {
    const std::size_t base = block.size();
    for (std::size_t begin = 0; begin < list->size(); begin = list->find('\0', begin) + 1) {
      const std::uint64_t offset = base + begin;
      memcpy(block.data() + slot, &offset, sizeof offset);
      slot += sizeof offset;
    }
    slot += sizeof(std::uint64_t);  // the terminating null
    block.append(*list);
  }
  memcpy(block.data(), &head, sizeof head);
  size = head.size;

  const int error = put_into_memfd(block, out);
  strings.give(std::move(block));
  return error;
}

}  // namespace holdfast::linux_os
