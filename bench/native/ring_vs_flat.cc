// Does reading a pipe into the tail ring cost more than reading it into one flat buffer?
//
// A child writes `bytes` in 64 KiB writes into a pipe of 1 MiB. The parent reads it all, once for each form, the forms
// in turn, so that a busy minute of the machine meets all of them. Prints JSON: GB/s of each form (median and best), its
// ratio to the better flat loop of the same round (median of the rounds), and the CPU seconds of the reader for each GB,
// which other work on the machine disturbs least.
//
//   g++ -std=c++20 -O2 -Inative bench/native/ring_vs_flat.cc native/core/tail_ring.cc -pthread -o ring_vs_flat
//   ./ring_vs_flat [GB per run, default 4] [rounds, default 7] [tail in KiB, default 1024]
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core/tail_ring.h"

namespace {

using holdfast::core::TailRing;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "ring_vs_flat: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

struct Producer {
  int fd;
  pid_t pid;
};

Producer start_producer(std::uint64_t bytes) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) fail("pipe2");
  if (fcntl(fds[0], F_SETPIPE_SZ, 1 << 20) < 0) fail("F_SETPIPE_SZ of 1 MiB");
  const pid_t pid = fork();
  if (pid < 0) fail("fork");
  if (pid > 0) {
    close(fds[1]);
    return {fds[0], pid};
  }
  static char block[64 * 1024];
  std::memset(block, 'x', sizeof block);
  while (bytes > 0) {
    const ssize_t n = write(fds[1], block, static_cast<std::size_t>(std::min<std::uint64_t>(bytes, sizeof block)));
    if (n < 0) _exit(1);
    bytes -= static_cast<std::uint64_t>(n);
  }
  _exit(0);
}

std::uint64_t read_flat(int fd, std::size_t size) {
  std::vector<char> buffer(size);
  std::uint64_t total = 0;
  for (;;) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n < 0) fail("read");
    if (n == 0) return total;
    total += static_cast<std::uint64_t>(n);
  }
}

std::uint64_t read_ring(int fd, std::size_t want, std::uint64_t tail) {
  TailRing ring(tail);
  for (;;) {
    std::span<std::byte> spans[TailRing::kMaxSpans];
    const int count = ring.prepare(want, spans);
    iovec vectors[TailRing::kMaxSpans];
    for (int i = 0; i < count; ++i) vectors[i] = {spans[i].data(), spans[i].size()};
    const ssize_t n = readv(fd, vectors, count);
    if (n < 0) fail("readv");
    if (n == 0) return ring.total();
    ring.publish(static_cast<std::size_t>(n));
  }
}

struct Form {
  std::string name;
  bool ring;
  std::size_t size;
  std::vector<double> rate, ratio, cpu;
};

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double run(Form& form, std::uint64_t bytes, std::uint64_t tail) {
  const Producer producer = start_producer(bytes);
  const double cpu = cpu_seconds();
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t got =
      form.ring ? read_ring(producer.fd, form.size, tail) : read_flat(producer.fd, form.size);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  form.cpu.push_back((cpu_seconds() - cpu) / static_cast<double>(bytes) * 1e9);
  close(producer.fd);
  int status = 0;
  if (waitpid(producer.pid, &status, 0) != producer.pid) fail("waitpid");
  if (got != bytes || status != 0) {
    std::fprintf(stderr, "ring_vs_flat: %s read %llu of %llu bytes\n", form.name.c_str(),
                 static_cast<unsigned long long>(got), static_cast<unsigned long long>(bytes));
    std::exit(1);
  }
  return static_cast<double>(bytes) / took.count() / 1e9;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const double gigabytes = argc > 1 ? std::atof(argv[1]) : 4;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  const auto tail = static_cast<std::uint64_t>(argc > 3 ? std::atoll(argv[3]) : 1024) * 1024;
  if (gigabytes <= 0 || rounds <= 0) {
    std::fprintf(stderr, "usage: ring_vs_flat [GB per run] [rounds] [tail in KiB]; all above 0\n");
    return 2;
  }
  const auto bytes = static_cast<std::uint64_t>(gigabytes * 1e9);
  std::vector<Form> forms{{"flat 64 KiB", false, 64 << 10, {}, {}, {}},
                          {"flat 256 KiB", false, 256 << 10, {}, {}, {}},
                          {"ring 64 KiB", true, 64 << 10, {}, {}, {}},
                          {"ring 128 KiB", true, 128 << 10, {}, {}, {}},
                          {"ring 192 KiB", true, 192 << 10, {}, {}, {}}};
  for (int round = 0; round < rounds; ++round) {
    double flat = 0;
    for (Form& form : forms) {
      form.rate.push_back(run(form, bytes, tail));
      if (!form.ring) flat = std::max(flat, form.rate.back());
    }
    for (Form& form : forms) form.ratio.push_back(form.rate.back() / flat);
  }
  std::printf("{\"bytes\": %llu, \"rounds\": %d, \"tail\": %llu, \"forms\": [\n",
              static_cast<unsigned long long>(bytes), rounds, static_cast<unsigned long long>(tail));
  for (const Form& form : forms) {
    std::printf("  {\"name\": \"%s\", \"gbPerSecond\": %.2f, \"best\": %.2f, \"ofBetterFlat\": %.3f, \"cpuPerGb\": %.3f}%s\n",
                form.name.c_str(), median(form.rate), *std::max_element(form.rate.begin(), form.rate.end()),
                median(form.ratio), median(form.cpu), &form == &forms.back() ? "" : ",");
  }
  std::printf("]}\n");
  return 0;
}
