#include "pseudo_console.h"

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

#include "pipes.h"

namespace holdfast::windows {

namespace {

// Looked up at run time: they are there since Windows 10 1809, and an addon that imports them would not load before.
struct Functions {
  using Create = HRESULT(WINAPI*)(COORD, HANDLE, HANDLE, DWORD, void**);
  using Resize = HRESULT(WINAPI*)(void*, COORD);
  using Close = void(WINAPI*)(void*);
  Create create;
  Resize resize;
  Close close;
};

const Functions& functions() {
  static const Functions found = [] {
    const HMODULE kernel = ::GetModuleHandleW(L"kernel32.dll");
    const auto find = [kernel](const char* name) { return reinterpret_cast<void*>(::GetProcAddress(kernel, name)); };
    return Functions{reinterpret_cast<Functions::Create>(find("CreatePseudoConsole")), reinterpret_cast<Functions::Resize>(find("ResizePseudoConsole")),
                     reinterpret_cast<Functions::Close>(find("ClosePseudoConsole"))};
  }();
  return found;
}

DWORD error_of(HRESULT result) {
  if (SUCCEEDED(result)) return 0;
  if (result == E_NOTIMPL) return ERROR_CALL_NOT_IMPLEMENTED;
  return HRESULT_FACILITY(result) == FACILITY_WIN32 ? static_cast<DWORD>(HRESULT_CODE(result)) : static_cast<DWORD>(ERROR_GEN_FAILURE);
}

COORD coordinates(TerminalSize size) {
  constexpr std::uint16_t kMost = 32767;
  return {static_cast<SHORT>(std::min(size.cols, kMost)), static_cast<SHORT>(std::min(size.rows, kMost))};
}

}  // namespace

DWORD PseudoConsole::open(TerminalSize size, Handle& input, Handle& output, const char*& call) {
  call = "CreateNamedPipe";
  Handle reads, writes;
  if (const DWORD error = make_pipe(Direction::command_reads, input, reads)) return error;
  if (const DWORD error = make_pipe(Direction::command_writes, output, writes)) return error;
  call = "CreatePseudoConsole";
  if (functions().create == nullptr || functions().resize == nullptr || functions().close == nullptr) return ERROR_CALL_NOT_IMPLEMENTED;
  // It takes copies of both ends.
  return error_of(functions().create(coordinates(size), reads.get(), writes.get(), 0, &console_));
}

DWORD PseudoConsole::resize(TerminalSize size) { return error_of(functions().resize(console_, coordinates(size))); }

void PseudoConsole::close() {
  void* console = std::exchange(console_, nullptr);
  if (console == nullptr) return;
  try {
    // It touches nothing of ours, so it may outlive everything.
    std::thread([console] { functions().close(console); }).detach();
  } catch (const std::system_error&) {
    // Without a thread it stays: its members end with their Job, and it ends with the host.
  }
}

}  // namespace holdfast::windows
