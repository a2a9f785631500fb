#include "pipes.h"

#include <winternl.h>

namespace holdfast::windows {

namespace {

constexpr DWORD kBuffer = 64 * 1024;

DWORD new_name(std::wstring& name) {
  const std::string random = random_name();
  if (random.empty()) return ERROR_NO_SYSTEM_RESOURCES;
  name = widen("\\\\.\\pipe\\holdfast-" + std::to_string(::GetCurrentProcessId()) + "-" + random);
  return 0;
}

DWORD serve(const std::wstring& name, DWORD access, Handle& end) {
  OnlyUser only_user;
  if (only_user.error() != 0) return only_user.error();
  end = Handle(::CreateNamedPipeW(name.c_str(), access | FILE_FLAG_FIRST_PIPE_INSTANCE,
                                  PIPE_TYPE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, 1, kBuffer, kBuffer, 0,
                                  only_user.attributes()));
  return end ? 0 : ::GetLastError();
}

// FilePipeLocalInformation: the only question about a pipe that neither waits nor changes anything.
struct PipeInformation {
  ULONG type, configuration, most_instances, instances, in_quota, readable, out_quota, writable, state, end;
};
constexpr int kFilePipeLocalInformation = 24;
constexpr ULONG kConnected = 3;
using Query = NTSTATUS(NTAPI*)(HANDLE, IO_STATUS_BLOCK*, PVOID, ULONG, int);

}  // namespace

DWORD make_pipe(Direction direction, Handle& host, Handle& command) {
  std::wstring name;
  if (const DWORD error = new_name(name)) return error;
  const bool reads = direction == Direction::command_reads;
  if (const DWORD error = serve(name, (reads ? PIPE_ACCESS_OUTBOUND : PIPE_ACCESS_INBOUND) | FILE_FLAG_OVERLAPPED, host)) return error;
  // The attributes are what a C runtime asks for when it looks at what it was given.
  const DWORD access = reads ? GENERIC_READ | FILE_WRITE_ATTRIBUTES : GENERIC_WRITE | FILE_READ_ATTRIBUTES;
  command = Handle(::CreateFileW(name.c_str(), access, 0, nullptr, OPEN_EXISTING, 0, nullptr));
  return command ? 0 : ::GetLastError();
}

DWORD make_named_pipe(Direction direction, Handle& command, std::string& name) {
  std::wstring wide;
  if (const DWORD error = new_name(wide)) return error;
  DWORD access = PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED;
  if (direction == Direction::command_reads) access = PIPE_ACCESS_INBOUND;
  if (direction == Direction::command_writes) access = PIPE_ACCESS_OUTBOUND;
  if (const DWORD error = serve(wide, access, command)) return error;
  name = narrow(wide);
  return 0;
}

namespace {

// Whether the other end is open, without waiting. 0 or a Windows error.
DWORD is_connected(HANDLE command, bool& connected) {
  static const auto query = reinterpret_cast<Query>(
      reinterpret_cast<void*>(::GetProcAddress(::GetModuleHandleW(L"ntdll.dll"), "NtQueryInformationFile")));
  IO_STATUS_BLOCK status{};
  PipeInformation information{};
  if (query != nullptr && query(command, &status, &information, sizeof information, kFilePipeLocalInformation) >= 0) {
    connected = information.state == kConnected;
    return 0;
  }
  // An end that only writes may not be allowed to ask. It may be told not to wait, and then connecting answers at once.
  DWORD mode = PIPE_NOWAIT;
  if (!::SetNamedPipeHandleState(command, &mode, nullptr, nullptr)) return ::GetLastError();
  const DWORD error = ::ConnectNamedPipe(command, nullptr) ? static_cast<DWORD>(ERROR_PIPE_LISTENING) : ::GetLastError();
  mode = PIPE_WAIT;
  if (!::SetNamedPipeHandleState(command, &mode, nullptr, nullptr)) return ::GetLastError();
  connected = error == ERROR_PIPE_CONNECTED;
  return connected || error == ERROR_PIPE_LISTENING ? 0 : error;
}

}  // namespace

DWORD await_connection(HANDLE command, DWORD timeout_ms) {
  // Node opens its end in the turn of the spawn(), so the first look mostly finds it there. A plain ConnectNamedPipe would
  // wait for ever for a worker that has ended in between.
  for (DWORD waited = 0;; waited++) {
    bool connected = false;
    if (const DWORD error = is_connected(command, connected)) return error;
    if (connected) return 0;
    if (waited >= timeout_ms) return WAIT_TIMEOUT;
    ::Sleep(1);
  }
}

DWORD open_null(bool reads, Handle& command) {
  command = Handle(::CreateFileW(L"NUL", reads ? GENERIC_READ : GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING, 0, nullptr));
  return command ? 0 : ::GetLastError();
}

}  // namespace holdfast::windows
