// Arguments of any content: the line made of them is taken apart into exactly them, by the documented rules of Windows.
#include <fuzzer/FuzzedDataProvider.h>

#include <string>
#include <vector>

#include "core/command_line.h"
#include "fuzz.h"
#include "test/native/windows_argv.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  FuzzedDataProvider input(bytes, size);
  std::vector<std::string> argv(1 + input.ConsumeIntegralInRange<std::size_t>(0, 5));
  for (std::string& argument : argv) argument = input.ConsumeRandomLengthString(40);
  const std::vector<std::string_view> views(argv.begin(), argv.end());
  const auto line = holdfast::core::command_line(views);

  bool representable = !argv[0].empty() && argv[0].find('"') == std::string::npos;
  for (const std::string& argument : argv) representable = representable && argument.find('\0') == std::string::npos;
  PROMISE(line.has_value() == representable);
  if (line) PROMISE(holdfast::test::parsed(*line) == argv);

  // A batch file: one line, whatever it is made of, and nothing that ends the quotes around an argument.
  const std::vector<std::string_view> arguments(views.begin() + 1, views.end());
  const auto batch = holdfast::core::batch_command_line("C:\\Windows\\System32\\cmd.exe", argv[0], arguments);
  if (batch) PROMISE(batch->find_first_of(std::string("\r\n\0", 3)) == std::string::npos);
  return 0;
}
