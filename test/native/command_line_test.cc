#include "core/command_line.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "windows_argv.h"

using namespace holdfast::core;

namespace {

using holdfast::test::parsed;

std::vector<std::string_view> views(const std::vector<std::string>& strings) { return {strings.begin(), strings.end()}; }

std::string random_argument(std::mt19937& random, std::string_view alphabet) {
  std::string result;
  for (std::size_t length = random() % 9; length > 0; length--) result += alphabet[random() % alphabet.size()];
  return result;
}

// What the command processor does to a line that it was given with /c, as far as safety goes: variables are replaced first,
// whether quoted or not, then characters that mean something do so outside of quotes. Empty: something would have happened.
std::string seen_by_script(std::string line) {
  for (std::size_t at; (at = line.find("%cd:~,%")) != std::string::npos;) line.erase(at, 7);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (!quoted && std::string_view("&|<>^()").find(c) != std::string_view::npos) return {};
    if (c == '\r' || c == '\n') return {};
  }
  return quoted ? std::string() : line;
}

}  // namespace

TEST_CASE("a command line is what its program takes apart into the same arguments") {
  std::mt19937 random(20240601);
  for (int round = 0; round < 50'000; round++) {
    std::vector<std::string> argv{"C:\\a b\\p.exe"};
    for (std::size_t count = random() % 5; count > 0; count--) argv.push_back(random_argument(random, "ab\\\\\"\" \t\n%^&\xc3\xa9"));
    const auto line = command_line(views(argv));
    REQUIRE(line);
    REQUIRE(parsed(*line) == argv);
  }
}

TEST_CASE("plain arguments stay as they are, others are quoted no more than they need") {
  CHECK(*command_line({"p", "-a", "c:\\x\\"}) == R"("p" -a c:\x\)");
  CHECK(*command_line({"p", ""}) == R"("p" "")");
  CHECK(*command_line({"p", "a b\\"}) == R"("p" "a b\\")");
  CHECK(*command_line({"p", "say \"hi\""}) == R"("p" "say \"hi\"")");
}

TEST_CASE("what no command line can say is refused") {
  CHECK_FALSE(command_line({}));
  CHECK_FALSE(command_line({""}));
  CHECK_FALSE(command_line({"a\"b"}));
  CHECK_FALSE(command_line({"p", std::string_view("a\0b", 3)}));
}

TEST_CASE("batch files are known by their end, whatever Windows ignores behind it") {
  for (const char* path : {"a.bat", "A.BAT", "b.Cmd", "a.bat.", "a.cmd . .", "C:\\x y\\z.cmd"}) CHECK(is_batch_file(path));
  for (const char* path : {"a.exe", "bat", "a.bat.exe", "a.batx", "", ".ba"}) CHECK_FALSE(is_batch_file(path));
}

TEST_CASE("no argument of a batch file becomes a command or a variable") {
  std::mt19937 random(20240602);
  for (int round = 0; round < 50'000; round++) {
    std::vector<std::string> arguments;
    for (std::size_t count = random() % 4; count > 0; count--) arguments.push_back(random_argument(random, "aZ\\\"\"%%^&|<>()!, ;="));
    const auto line = batch_command_line("C:\\cmd.exe", "C:\\a & b\\s%PATH%.bat", views(arguments));
    REQUIRE(line);
    const std::string inner_begin = "\"C:\\cmd.exe\" /e:ON /v:OFF /d /c \"";
    REQUIRE(line->starts_with(inner_begin));
    REQUIRE(line->back() == '"');
    const std::string seen = seen_by_script(line->substr(inner_begin.size(), line->size() - inner_begin.size() - 1));
    REQUIRE_FALSE(seen.empty());
    // A percent sign that could open a variable was broken up: two are never left with a name between them.
    for (std::size_t at = 0; (at = line->find('%', at)) != std::string::npos; at += 8) REQUIRE(line->compare(at, 8, "%%cd:~,%") == 0);
    // A program that the script hands "%*" to sees the arguments, however quoted.
    std::vector<std::string> expected{"C:\\a & b\\s%PATH%.bat"};
    expected.insert(expected.end(), arguments.begin(), arguments.end());
    REQUIRE(parsed(seen) == expected);
  }
}

TEST_CASE("what cannot be made safe for a batch file is refused") {
  CHECK_FALSE(batch_command_line("cmd", "a.bat", {"a\nb"}));
  CHECK_FALSE(batch_command_line("cmd", "a.bat", {"a\rb"}));
  CHECK_FALSE(batch_command_line("cmd", "a.bat", {std::string_view("a\0b", 3)}));
  CHECK_FALSE(batch_command_line("cmd", "a\".bat", {}));
  CHECK_FALSE(batch_command_line("cmd", "a.bat\n", {}));
  CHECK_FALSE(batch_command_line("", "a.bat", {}));
}
