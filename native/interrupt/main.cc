// holdfast-interrupt <job>: types Ctrl-C into the consoles of a Job, and ends. `job` is the number of an inherited handle that
// may only ask the Job who is in it.
//
// A process can reach a console only by living in it, and has one console at a time. The host must not leave its own for that,
// not for a moment, so a process does it that has none to lose.
//
// Exit code: 0 when a console was reached, 1 when there was none, 2 when the arguments or the Job cannot be used.
#include <windows.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kReached = 0, kNobody = 1, kUnusable = 2;
/// A process that was just made has no console yet. It is looked for this often, this many milliseconds apart.
constexpr int kLooks = 5;
constexpr DWORD kBetweenLooksMs = 20;
constexpr DWORD kMostMembers = 16 * 1024;

std::vector<DWORD> members_of(HANDLE job) {
  for (DWORD room = 64; room <= kMostMembers; room *= 4) {
    std::vector<ULONG_PTR> memory(room + 2);
    auto* list = reinterpret_cast<JOBOBJECT_BASIC_PROCESS_ID_LIST*>(memory.data());
    const auto size = static_cast<DWORD>(memory.size() * sizeof(ULONG_PTR));
    if (QueryInformationJobObject(job, JobObjectBasicProcessIdList, list, size, nullptr)) {
      return std::vector<DWORD>(list->ProcessIdList, list->ProcessIdList + list->NumberOfProcessIdsInList);
    }
    if (GetLastError() != ERROR_MORE_DATA) break;
  }
  return {};
}

/// Whether a process of the console is one that must not be told: it lives and is not of the Job, like the host itself where
/// the command shares its console.
bool is_stranger(HANDLE job, DWORD pid) {
  HANDLE process = OpenProcess(PROCESS_QUERY_INFORMATION, FALSE, pid);
  // Less is enough on Windows, and is granted for processes of more rights than ours; Wine asks for more.
  if (process == nullptr) process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
  if (process == nullptr) return GetLastError() != ERROR_INVALID_PARAMETER;  // that one means: gone
  BOOL inside = FALSE;
  const bool known = IsProcessInJob(process, job, &inside) != 0;
  CloseHandle(process);
  return !known || !inside;
}

std::vector<DWORD> on_this_console() {
  std::vector<DWORD> pids(64);
  for (;;) {
    const DWORD count = GetConsoleProcessList(pids.data(), static_cast<DWORD>(pids.size()));
    const bool fits = count <= pids.size();
    pids.resize(count);
    if (fits || count > kMostMembers) return pids;
  }
}

/// `pid`'s console, and with it everybody who is on it. They are added to `seen`.
bool interrupt_console(HANDLE job, DWORD pid, std::vector<DWORD>& seen) {
  if (!AttachConsole(pid)) return false;
  bool sent = false;
  const std::vector<DWORD> there = on_this_console();
  const bool mixed = there.empty() || std::any_of(there.begin(), there.end(), [job](DWORD one) {
    return one != GetCurrentProcessId() && is_stranger(job, one);
  });
  // Not for ourselves. Asked anew on each console, because leaving one can reset it.
  if (!mixed && SetConsoleCtrlHandler(nullptr, TRUE)) sent = GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0) != 0;
  FreeConsole();
  if (sent || mixed) seen.insert(seen.end(), there.begin(), there.end());
  return sent;
}

}  // namespace

int WINAPI WinMain(HINSTANCE, HINSTANCE, LPSTR arguments, int) {
  char* end = nullptr;
  const unsigned long long number = std::strtoull(arguments, &end, 10);
  if (number == 0 || *end != '\0') return kUnusable;
  const HANDLE job = reinterpret_cast<HANDLE>(static_cast<ULONG_PTR>(number));
  FreeConsole();
  bool reached = false;
  std::vector<DWORD> seen;
  for (int look = 0; look < kLooks && !reached; look++) {
    if (look > 0) Sleep(kBetweenLooksMs);
    const std::vector<DWORD> members = members_of(job);
    if (members.empty()) return look == 0 ? kUnusable : kNobody;
    for (const DWORD pid : members) {
      if (std::find(seen.begin(), seen.end(), pid) == seen.end()) reached |= interrupt_console(job, pid, seen);
    }
  }
  return reached ? kReached : kNobody;
}
