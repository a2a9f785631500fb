#include "arguments.h"

#include <fcntl.h>
#include <string.h>

namespace holdfast::posix {

namespace {

std::vector<char*> pointers(std::string& strings) {
  std::vector<char*> list;
  for (std::size_t at = 0; at < strings.size(); at = strings.find('\0', at) + 1) list.push_back(strings.data() + at);
  list.push_back(nullptr);
  return list;
}

}  // namespace

Arguments::Arguments(LaunchSpec& launch)
    : launch_(launch), program_(launch.program.c_str()), argv_(pointers(launch.argv)), envp_(pointers(launch.env)) {}

void Arguments::run_by_shell() {
  static char shell[] = "/bin/sh";
  argv_[0] = launch_.program.data();
  argv_.insert(argv_.begin(), shell);
  program_ = shell;
}

bool is_script(int directory, const char* program) {
  char head[256];
  const Fd file(::openat(directory, program, O_RDONLY | O_CLOEXEC));
  const ssize_t n = file ? ::read(file.get(), head, sizeof head) : -1;
  return n >= 0 && memchr(head, 0, static_cast<std::size_t>(n)) == nullptr;
}

}  // namespace holdfast::posix
