#include "interrupt.h"

#include "attributes.h"

namespace holdfast::windows {

namespace {

constexpr wchar_t kProgram[] = L"holdfast-interrupt.exe";

// Beside the binary that this code is in, and nowhere else.
DWORD find_program(std::wstring& path) {
  HMODULE self = nullptr;
  if (!::GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            reinterpret_cast<LPCWSTR>(reinterpret_cast<void*>(&find_program)), &self)) {
    return ::GetLastError();
  }
  for (path.resize(MAX_PATH);; path.resize(path.size() * 2)) {
    const DWORD length = ::GetModuleFileNameW(self, path.data(), static_cast<DWORD>(path.size()));
    if (length == 0) return ::GetLastError();
    if (length == path.size() && length < 64 * 1024) continue;  // cut off
    path.resize(length);
    path.resize(path.find_last_of(L'\\') + 1);
    path += kProgram;
    return 0;
  }
}

}  // namespace

bool Interruption::told() const {
  DWORD code = 1;
  return ::GetExitCodeProcess(process.get(), &code) && code == 0;
}

DWORD start_interruption(const Job& job, Interruption& interruption) {
  std::wstring path;
  if (const DWORD error = find_program(path)) return error;
  const char* call = "";
  if (const DWORD error = interruption.own.create(nullptr, 0, {}, call)) return error;
  HANDLE raw = nullptr;
  if (!::DuplicateHandle(::GetCurrentProcess(), job.get(), ::GetCurrentProcess(), &raw, JOB_OBJECT_QUERY, TRUE, 0)) return ::GetLastError();
  const Handle question(raw);
  HANDLE own = interruption.own.get();
  AttributeList attributes(2);
  attributes.set(PROC_THREAD_ATTRIBUTE_HANDLE_LIST, &raw, sizeof raw);
  attributes.set(PROC_THREAD_ATTRIBUTE_JOB_LIST, &own, sizeof own);
  if (attributes.error() != 0) return attributes.error();
  STARTUPINFOEXW startup{};
  startup.StartupInfo.cb = sizeof startup;
  startup.lpAttributeList = attributes.get();
  std::wstring line = L"\"" + path + L"\" " + std::to_wstring(reinterpret_cast<ULONG_PTR>(raw));
  PROCESS_INFORMATION made{};
  // Of no console, so that it has none to leave; and of the host's process group, like the command.
  constexpr DWORD kFlags = EXTENDED_STARTUPINFO_PRESENT | DETACHED_PROCESS;
  if (!::CreateProcessW(path.c_str(), line.data(), nullptr, nullptr, TRUE, kFlags, nullptr, nullptr, &startup.StartupInfo, &made)) {
    return ::GetLastError();
  }
  interruption.process = Handle(made.hProcess);
  ::CloseHandle(made.hThread);
  return 0;
}

}  // namespace holdfast::windows
