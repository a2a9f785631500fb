#include "core/process_arguments.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>

using holdfast::core::parse_process_arguments;

namespace {

std::string raw(int count, const std::string& rest) {
  std::string text(sizeof count, '\0');
  std::memcpy(text.data(), &count, sizeof count);
  return text + rest;
}

#define TEXT(literal) std::string(literal, sizeof(literal) - 1)

}  // namespace

TEST_CASE("the first argument and the environment are found behind the path and its padding") {
  const std::string text = raw(2, TEXT("/bin/ls\0\0\0\0\0ls\0-l\0PATH=/bin\0A=\0\0apple=1\0"));
  CHECK(parse_process_arguments(text).argv0 == "ls");
  CHECK(parse_process_arguments(text).environment == TEXT("PATH=/bin\0A=\0"));
}

TEST_CASE("an environment that is not shown is empty") {
  const std::string text = raw(2, TEXT("/bin/ls\0\0ls\0-l\0"));
  CHECK(parse_process_arguments(text).argv0 == "ls");
  CHECK(parse_process_arguments(text).environment.empty());
}

TEST_CASE("empty arguments count") {
  const std::string text = raw(3, TEXT("/bin/x\0\0x\0\0last\0A=1\0\0"));
  CHECK(parse_process_arguments(text).environment == TEXT("A=1\0"));
}

TEST_CASE("an environment that was cut off keeps what is whole, and the piece") {
  const std::string text = raw(1, TEXT("/bin/x\0x\0A=1\0B=2"));
  CHECK(parse_process_arguments(text).environment == TEXT("A=1\0B=2"));
}

TEST_CASE("what a process has overwritten gives nothing, and no fault") {
  CHECK(parse_process_arguments("").argv0.empty());
  CHECK(parse_process_arguments("abc").argv0.empty());
  CHECK(parse_process_arguments(raw(1, "")).argv0.empty());
  CHECK(parse_process_arguments(raw(1, TEXT("/bin/x"))).argv0.empty());
  CHECK(parse_process_arguments(raw(1, TEXT("/bin/x\0\0\0\0"))).argv0.empty());
  CHECK(parse_process_arguments(raw(2147483647, TEXT("/bin/x\0x\0A=1\0"))).argv0 == "x");
  CHECK(parse_process_arguments(raw(2147483647, TEXT("/bin/x\0x\0A=1\0"))).environment.empty());
  CHECK(parse_process_arguments(raw(-1, TEXT("/bin/x\0x\0A=1\0"))).argv0.empty());
}
