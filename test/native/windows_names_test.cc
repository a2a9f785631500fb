#include "core/windows_names.h"

#include <doctest/doctest.h>

using namespace holdfast::core;
using List = std::vector<std::string>;

TEST_CASE("a bare name is tried with each extension in each directory, in order") {
  CHECK(program_candidates("node", "C:\\a;C:\\b\\", ".EXE;.CMD", "C:\\here") ==
        List{"C:\\a\\node.EXE", "C:\\a\\node.CMD", "C:\\b\\node.EXE", "C:\\b\\node.CMD"});
}

TEST_CASE("a name with an extension is only itself") {
  CHECK(program_candidates("node.exe", "C:\\a", ".EXE;.CMD", "C:\\here") == List{"C:\\a\\node.exe"});
}

TEST_CASE("without PATHEXT the default extensions are tried") {
  CHECK(program_candidates("x", "C:\\a", "", "C:\\here") == List{"C:\\a\\x.COM", "C:\\a\\x.EXE", "C:\\a\\x.BAT", "C:\\a\\x.CMD"});
}

TEST_CASE("quotes hide separators, empty entries name no directory, relative ones start at the host's") {
  CHECK(program_candidates("x.exe", "\"C:\\a;b\";;sub;\\root;", "", "D:\\here") ==
        List{"C:\\a;b\\x.exe", "D:\\here\\sub\\x.exe", "D:\\root\\x.exe"});
  CHECK(program_candidates("x.exe", "", "", "D:\\here").empty());
}

TEST_CASE("a path is itself, or has the extensions tried") {
  CHECK(path_candidates("C:\\x.exe", ".EXE", "D:\\") == List{"C:\\x.exe"});
  CHECK(path_candidates("sub.d/x", ".EXE", "D:\\here") == List{"D:\\here\\sub.d/x.EXE"});
}

TEST_CASE("absolute is what depends on no current drive or directory") {
  for (const char* path : {"C:\\x", "c:/x", "\\\\server\\share", "\\\\?\\C:\\x", "//server/x"}) CHECK(is_absolute(path));
  for (const char* path : {"", "x", "\\x", "C:x", "C:", ".\\x", "1:\\x"}) CHECK_FALSE(is_absolute(path));
}

TEST_CASE("variables are found in any case, and the directories of drives are none") {
  const std::string entries("=C:=C:\\x\0Path=a;b\0EMPTY=\0", 25);
  CHECK(variable(entries, "PATH") == "a;b");
  CHECK(variable(entries, "EMPTY").empty());
  CHECK(variable(entries, "C:").empty());
  CHECK(variable(entries, "=C:") == "C:\\x");
}

TEST_CASE("an environment block is sorted without regard to case, with each name once") {
  const std::string entries("b=1\0A=2\0_=3\0B=4\0", 16);
  CHECK(environment_block(entries) == std::string("A=2\0B=4\0_=3\0\0", 13));
  CHECK(environment_block("") == std::string("\0\0", 2));
}
