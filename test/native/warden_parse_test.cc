// What the warden understands of /proc, cgroupfs and launch blocks: pure functions, any input.
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "../../native/warden/cgroup.h"
#include "../../native/warden/child.h"
#include "../../native/warden/procfs.h"
#include "warden_host.h"

namespace holdfast::test {

namespace {

bool stat_of(std::string_view text, ProcessStat& stat) { return parse_stat(text.data(), text.size(), stat); }

std::string unified(std::string_view text) {
  const char* path = nullptr;
  size_t length = 0;
  return parse_unified_path(text.data(), text.size(), path, length) ? std::string(path, length) : "<none>";
}

uint64_t range_of(std::string_view path, std::string_view prefix) {
  return range_of_path(path.data(), path.size(), prefix.data(), prefix.size());
}

std::vector<int> pids_of(const std::vector<std::string>& pieces) {
  std::vector<int> pids;
  const auto add = [&](int32_t pid) { pids.push_back(pid); };
  PidParser parser;
  for (const std::string& piece : pieces) parser.feed(piece.data(), piece.size(), add);
  parser.finish(add);
  return pids;
}

/// A block in memory that is aligned as the child's mapping is.
struct Block {
  std::vector<uint64_t> words;
  size_t size;
  explicit Block(const std::string& text) : words(text.size() / 8 + 1), size(text.size()) {
    std::memcpy(words.data(), text.data(), text.size());
  }
  unsigned char* bytes() { return reinterpret_cast<unsigned char*>(words.data()); }
  LaunchBlock& head() { return *reinterpret_cast<LaunchBlock*>(words.data()); }
  bool relocates(Program& program) { return relocate(bytes(), size, program); }
};

Command example() {
  Command command;
  command.argv = {"/bin/echo", "a", ""};
  command.env = {"A=1", "B=2"};
  command.cwd = "/tmp";
  return command;
}

const std::string kRest = " 0 0 0 0 0 0 0 0 0 20 0 1 0 ";  // fields 9 to 21

}  // namespace

TEST_CASE("a process cannot lie about its state through its name") {
  ProcessStat stat;
  REQUIRE(stat_of("71 (sleep) S 1 71 70 0 -1" + kRest + "424242 9 9", stat));
  CHECK(stat.pid == 71);
  CHECK(stat.parent == 1);
  CHECK(stat.session == 70);
  CHECK(stat.state == 'S');
  CHECK(stat.start_time == 424242);
  REQUIRE(stat_of("71 (x) Z 9 9) T 5 6 7 0 -1" + kRest + "99 0", stat));
  CHECK(stat.parent == 5);
  CHECK(stat.stopped());
  CHECK_FALSE(stat.dead());
  REQUIRE(stat_of("71 (x) Z 1 71 71 0 -1" + kRest + "9", stat));
  CHECK(stat.dead());
  REQUIRE(stat_of("71 (x) Z 1 71 71 0 -1 0 0 0 0 0 0 0 0 0 20 0 2 0 9", stat));
  CHECK_FALSE(stat.dead());  // its first thread has ended, another one runs
}

TEST_CASE("a truncated or foreign stat line is refused") {
  ProcessStat stat;
  const std::string whole = "71 (sleep) S 1 71 70 0 -1" + kRest + "424242";
  for (size_t size = 0; size + 6 < whole.size(); ++size) CHECK_FALSE(stat_of(whole.substr(0, size), stat));
  CHECK_FALSE(stat_of("nonsense", stat));
  CHECK_FALSE(stat_of("7 )", stat));
}

TEST_CASE("pids are put together across reads, and only numbers that may be signalled come out") {
  CHECK(pids_of({"12 34\n", "5", "6 "}) == std::vector<int>{12, 34, 56});
  CHECK(pids_of({"0\n1\n2\n"}) == std::vector<int>{2});
  CHECK(pids_of({"-7 -1 8"}) == std::vector<int>{8});
  CHECK(pids_of({"99999999999999999999 4194304 4194303"}) == std::vector<int>{4194303});
  CHECK(pids_of({""}).empty());
}

TEST_CASE("the unified hierarchy is found among the others") {
  CHECK(unified("0::/a/b\n") == "/a/b");
  CHECK(unified("9:name=systemd:/x\n10::/no\n4:memory:/0::/z\n0::/\n") == "/");
  CHECK(unified("0::/unterminated") == "/unterminated");
  CHECK(unified("4:memory:/x\n") == "<none>");
  CHECK(unified("0::") == "<none>");
  CHECK(unified("") == "<none>");
}

TEST_CASE("a path belongs to the range whose leaf it is in") {
  CHECK(range_of("/h/r7", "/h") == 7);
  CHECK(range_of("/h/r7/a/b", "/h") == 7);
  CHECK(range_of("/h/r18446744073709551615", "/h") == UINT64_MAX);
  CHECK(range_of("/h/r7 (deleted)", "/h") == 7);
  CHECK(range_of("/h/r7x", "/h") == 0);
  CHECK(range_of("/h/r", "/h") == 0);
  CHECK(range_of("/h", "/h") == 0);
  CHECK(range_of("/h2/r7", "/h") == 0);
  CHECK(range_of("/h/probe", "/h") == 0);
  CHECK(range_of("/r7", "") == 7);
}

TEST_CASE("cgroup.events and cpu.stat are read by name, not by place") {
  const auto events = [](std::string_view text) { return parse_cgroup_events(text.data(), text.size()); };
  CHECK_FALSE(events("populated 0\nfrozen 1\n").populated);
  CHECK(events("populated 0\nfrozen 1\n").frozen);
  CHECK_FALSE(events("frozen 0\npopulated 0\n").populated);
  CHECK(events("").populated);  // a file that says nothing proves nothing
  CHECK(events("unpopulated 0\n").populated);
  CHECK(events("populated ").populated);
  CgroupUsage usage;
  const std::string_view stat = "usage_usec 30\nuser_usec 20\nsystem_usec 10\nnice_usec 0\n";
  REQUIRE(parse_cpu_stat(stat.data(), stat.size(), usage));
  CHECK(usage.user_us == 20);
  CHECK(usage.system_us == 10);
  CHECK_FALSE(parse_cpu_stat(stat.data(), 20, usage));
}

TEST_CASE("a launch block becomes arguments and environment in place") {
  Block block(make_block(example()));
  Program program = {};
  REQUIRE(block.relocates(program));
  CHECK(std::string(program.path) == "/bin/echo");
  CHECK(std::string(program.cwd) == "/tmp");
  CHECK(std::string(program.arguments[1]) == "a");
  CHECK(std::string(program.arguments[2]).empty());
  CHECK(program.arguments[3] == nullptr);
  CHECK(program.arguments[-1] == nullptr);
  CHECK(std::string(program.environment[1]) == "B=2");
  CHECK(program.environment[2] == nullptr);
}

TEST_CASE("a launch block that points outside of itself is refused") {
  const std::string good = make_block(example());
  Program program = {};
  for (size_t size = 0; size < good.size(); ++size) CHECK_FALSE(Block(good.substr(0, size)).relocates(program));
  const auto broken = [&](auto&& change) {
    Block block(good);
    change(block);
    return !block.relocates(program);
  };
  CHECK(broken([](Block& block) { block.head().argc = 0; }));
  CHECK(broken([](Block& block) { block.head().argc = UINT32_MAX; }));
  CHECK(broken([](Block& block) { block.head().envc = UINT32_MAX; }));
  CHECK(broken([](Block& block) { block.head().envc += 40; }));
  CHECK(broken([](Block& block) { block.head().table_offset += 4; }));
  CHECK(broken([](Block& block) { block.head().table_offset = 0; }));
  CHECK(broken([](Block& block) { block.head().table_offset = UINT32_MAX & ~7u; }));
  CHECK(broken([](Block& block) { block.head().cwd_offset = block.head().size; }));
  CHECK(broken([](Block& block) { block.head().program_offset = UINT32_MAX; }));
  CHECK(broken([](Block& block) { block.words[block.head().table_offset / 8 + 1] = block.size; }));
  CHECK(broken([](Block& block) { block.bytes()[block.size - 1] = 'x'; }));
}

TEST_CASE("no launch block, however damaged, makes the child read outside of it") {
  std::mt19937 random(20240229);
  const std::string good = make_block(example());
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (int change = 0; change < 3; ++change) text[random() % text.size()] = static_cast<char>(random());
    Block block(text);
    Program program = {};
    if (!block.relocates(program)) continue;
    size_t length = std::strlen(program.path) + std::strlen(program.cwd);
    for (char** argument = program.arguments; *argument != nullptr; ++argument) length += std::strlen(*argument);
    for (char** entry = program.environment; *entry != nullptr; ++entry) length += std::strlen(*entry);
    CHECK(length < 100 * text.size());
  }
}

}  // namespace holdfast::test
