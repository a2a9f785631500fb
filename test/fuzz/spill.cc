// A stream that spills, collected by the real collector on its real threads, while calls on its file fail: the tail is the
// end of the stream whatever happens to the file, a file is named only when it is the stream, and nothing is left of one that
// is not.
#include <errno.h>
#include <fcntl.h>
#include <fuzzer/FuzzedDataProvider.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <string>

#include "fuzz.h"
#include "platform/posix/collector.h"

using namespace holdfast;
using posix::SpillFacts;

namespace {

enum class Call { open, write, close, make_directory, unlink, count };

/// Which calls fail, by kind and index, with an errno; of write, a negative one is a short write.
struct Faults {
  std::map<std::pair<Call, unsigned>, int> planned;
  std::atomic<unsigned> made[static_cast<int>(Call::count)] = {};
};
std::atomic<Faults*> g_faults{nullptr};

int fault(Call call) {
  Faults* const faults = g_faults.load();
  if (faults == nullptr) return 0;
  const auto found = faults->planned.find({call, faults->made[static_cast<int>(call)]++});
  return found == faults->planned.end() ? 0 : found->second;
}

bool is_file(int fd) {
  struct stat info;
  return g_faults.load() != nullptr && ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

bool fails(Call call) {
  const int error = fault(call);
  if (error != 0) errno = error;
  return error != 0;
}

struct Silent : core::FactSink {
  void post(std::unique_ptr<core::Fact>) override {}
};

std::string stream(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t at = 0; at < size; at++) text[at] = static_cast<char>(at * 2654435761u >> 24);
  return text;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct TemporaryDirectory {
  std::string path = (std::filesystem::temp_directory_path() / "holdfast-fuzz-spill-XXXXXX").string();
  TemporaryDirectory() { PROMISE(::mkdtemp(path.data()) != nullptr); }
  ~TemporaryDirectory() { std::filesystem::remove_all(path); }
};

}  // namespace

// The linker hands over the calls of the code under test (cmake/fuzz.cmake).
extern "C" {
int __real_openat(int directory, const char* path, int flags, ...);
ssize_t __real_write(int fd, const void* from, size_t size);
int __real_close(int fd);
char* __real_mkdtemp(char* path);
int __real_unlink(const char* path);

int __wrap_openat(int directory, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const int mode = va_arg(list, int);
  va_end(list);
  return fails(Call::open) ? -1 : __real_openat(directory, path, flags, mode);
}
ssize_t __wrap_write(int fd, const void* from, size_t size) {
  if (!is_file(fd)) return __real_write(fd, from, size);
  const int error = fault(Call::write);
  if (error <= 0) return __real_write(fd, from, error < 0 && size > 1 ? size / 2 : size);
  errno = error;
  return -1;
}
int __wrap_close(int fd) {
  const bool failing = is_file(fd) && fails(Call::close);
  const int error = errno;
  const int result = __real_close(fd);
  if (!failing) return result;
  errno = error;
  return -1;
}
char* __wrap_mkdtemp(char* path) { return fails(Call::make_directory) ? nullptr : __real_mkdtemp(path); }
int __wrap_unlink(const char* path) { return fails(Call::unlink) ? -1 : __real_unlink(path); }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static auto& reactor = *new posix::Reactor;  // its thread is still there when statics are destroyed
  static const bool started = reactor.start() == 0;
  static const TemporaryDirectory temporary;
  const std::string& base = temporary.path;
  PROMISE(started);
  FuzzedDataProvider input(bytes, size);
  const auto tail = input.ConsumeIntegralInRange<std::size_t>(0, 3000);
  const auto cap = input.ConsumeIntegralInRange<std::uint64_t>(0, 60'000);
  const std::string expected = stream(input.ConsumeIntegralInRange<std::size_t>(0, 50'000));
  const auto piece = input.ConsumeIntegralInRange<std::size_t>(1, 60'000);
  Faults faults;
  bool stays = false;  // a file that could not be removed
  for (int count = input.ConsumeIntegralInRange(0, 4); count > 0; count--) {
    const auto call = static_cast<Call>(input.ConsumeIntegralInRange(0, static_cast<int>(Call::count) - 1));
    static constexpr int kErrors[] = {ENOSPC, EIO, EDQUOT, EROFS, EACCES, EMFILE, EINTR};
    int error = input.PickValueInArray(kErrors);
    if (call == Call::write && input.ConsumeBool()) error = -1;
    if (error == EINTR && call != Call::write && call != Call::close) error = EIO;
    faults.planned[{call, input.ConsumeIntegralInRange<unsigned>(0, call == Call::write ? 12 : 1)}] = error;
    stays = stays || call == Call::unlink;
  }

  int ends[2];
  PROMISE(::pipe2(ends, O_CLOEXEC) == 0);
  PROMISE(::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
  posix::Fd reading(ends[0]), writing(ends[1]);
  const auto directory = std::make_shared<posix::SpillDirectory>(base, "fuzz-");
  const auto collector = std::make_shared<posix::Collector>(1, 1, tail, posix::SpillOptions{cap, directory}, std::make_shared<Silent>());
  g_faults = &faults;
  std::promise<void> over;
  reactor.post([&] { collector->start(reactor, std::move(reading), [&over] { over.set_value(); }); });
  for (std::size_t at = 0; at < expected.size();) {
    const ssize_t n = ::write(writing.get(), expected.data() + at, std::min(piece, expected.size() - at));
    PROMISE(n > 0);
    at += static_cast<std::size_t>(n);
  }
  writing.reset();
  over.get_future().wait();
  g_faults = nullptr;

  PROMISE(collector->ring().total() == expected.size());
  const auto snapshot = collector->ring().read(0);
  std::string window(snapshot.size(), '\0');
  if (!window.empty()) snapshot.copy(reinterpret_cast<std::byte*>(window.data()));
  PROMISE(window == expected.substr(expected.size() - std::min(tail, expected.size())));

  const SpillFacts facts = collector->spill();
  const bool complete = facts.state == SpillFacts::State::complete;
  PROMISE(facts.state != SpillFacts::State::open);
  PROMISE((facts.state == SpillFacts::State::none) == (expected.size() <= tail));
  PROMISE(complete == !facts.path.empty());
  PROMISE((facts.state == SpillFacts::State::failed) == (facts.failure.error != 0));
  if (facts.state == SpillFacts::State::failed) PROMISE(!faults.planned.empty());
  if (facts.state == SpillFacts::State::discarded) PROMISE(expected.size() > cap);
  if (complete) PROMISE(expected.size() <= cap && contents(facts.path) == expected);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(base)) {
    PROMISE(stays || (complete && (entry.is_directory() || entry.path() == facts.path)));
  }
  for (const auto& entry : std::filesystem::directory_iterator(base)) std::filesystem::remove_all(entry);
  return 0;
}
