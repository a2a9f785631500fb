#include "inspect.h"

#include <psapi.h>
#include <tlhelp32.h>

#include <algorithm>

namespace holdfast::windows {

namespace {

std::uint64_t ms(const FILETIME& time) {
  return ((static_cast<std::uint64_t>(time.dwHighDateTime) << 32) | time.dwLowDateTime) / 10000;
}

bool measure(ProcessInfo& info) {
  const Handle process(::OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE, FALSE, info.pid));
  // Of a process that this user may not open its name and parent are known all the same.
  if (!process) return ::GetLastError() == ERROR_ACCESS_DENIED;
  if (::WaitForSingleObject(process.get(), 0) == WAIT_OBJECT_0) return false;
  FILETIME created{}, exited{}, system{}, user{};
  if (::GetProcessTimes(process.get(), &created, &exited, &system, &user)) {
    info.start_time = ms(created);
    info.cpu_ms = ms(system) + ms(user);
  }
  PROCESS_MEMORY_COUNTERS memory{};
  if (::K32GetProcessMemoryInfo(process.get(), &memory, sizeof memory)) info.rss_bytes = memory.WorkingSetSize;
  return true;
}

}  // namespace

std::vector<ProcessInfo> inspect(const std::vector<DWORD>& pids) {
  std::vector<ProcessInfo> found;
  if (pids.empty()) return found;
  const Handle snapshot(::CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0));
  if (!snapshot) return found;
  PROCESSENTRY32W entry{};
  entry.dwSize = sizeof entry;
  for (BOOL more = ::Process32FirstW(snapshot.get(), &entry); more; more = ::Process32NextW(snapshot.get(), &entry)) {
    if (std::find(pids.begin(), pids.end(), entry.th32ProcessID) == pids.end()) continue;
    ProcessInfo info;
    info.pid = entry.th32ProcessID;
    info.ppid = entry.th32ParentProcessID;
    info.argv0 = narrow(entry.szExeFile);
    if (measure(info)) found.push_back(std::move(info));
  }
  return found;
}

}  // namespace holdfast::windows
