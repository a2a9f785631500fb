#include "job.h"

#include <algorithm>

namespace holdfast::windows {

namespace {

DWORD limit_cpu(HANDLE job, std::uint64_t cpu_us) {
  // Hundredths of a percent of all processors together.
  const std::uint64_t processors = std::max<DWORD>(1, ::GetActiveProcessorCount(ALL_PROCESSOR_GROUPS));
  JOBOBJECT_CPU_RATE_CONTROL_INFORMATION rate{};
  rate.ControlFlags = JOB_OBJECT_CPU_RATE_CONTROL_ENABLE | JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP;
  rate.CpuRate = static_cast<DWORD>(std::clamp<std::uint64_t>(cpu_us / 10 / processors, 1, 10000));
  return ::SetInformationJobObject(job, JobObjectCpuRateControlInformation, &rate, sizeof rate) ? 0 : ::GetLastError();
}

}  // namespace

DWORD Job::create(HANDLE port, ULONG_PTR key, const Limits& limits, const char*& call) {
  call = "CreateJobObject";
  job_ = Handle(::CreateJobObjectW(nullptr, nullptr));
  if (!job_) return ::GetLastError();
  call = "SetInformationJobObject";
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION extended{};
  // No breakaway is allowed: a child that asks to be born outside is refused. A crash shows no dialog that would wait for
  // somebody at the screen.
  DWORD& flags = extended.BasicLimitInformation.LimitFlags;
  flags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
  if (limits.memory_bytes > 0) {
    flags |= JOB_OBJECT_LIMIT_JOB_MEMORY;
    extended.JobMemoryLimit = static_cast<SIZE_T>(limits.memory_bytes);
  }
  if (limits.processes > 0) {
    flags |= JOB_OBJECT_LIMIT_ACTIVE_PROCESS;
    extended.BasicLimitInformation.ActiveProcessLimit = limits.processes;
  }
  if (!::SetInformationJobObject(job_.get(), JobObjectExtendedLimitInformation, &extended, sizeof extended)) return ::GetLastError();
  if (limits.cpu_us > 0) {
    if (const DWORD error = limit_cpu(job_.get(), limits.cpu_us)) return error;
  }
  if (port == nullptr) return 0;
  JOBOBJECT_ASSOCIATE_COMPLETION_PORT association{reinterpret_cast<PVOID>(key), port};
  return ::SetInformationJobObject(job_.get(), JobObjectAssociateCompletionPortInformation, &association, sizeof association) ? 0 : ::GetLastError();
}

DWORD Job::kill() const { return ::TerminateJobObject(job_.get(), 1) ? 0 : ::GetLastError(); }

std::optional<DWORD> Job::active() const {
  JOBOBJECT_BASIC_ACCOUNTING_INFORMATION facts{};
  if (!::QueryInformationJobObject(job_.get(), JobObjectBasicAccountingInformation, &facts, sizeof facts, nullptr)) return std::nullopt;
  return facts.ActiveProcesses;
}

std::vector<DWORD> Job::members() const {
  std::vector<DWORD> pids;
  for (std::size_t room = 64; room <= 64 * 1024; room *= 4) {
    std::vector<ULONG_PTR> memory(room + 2);
    auto* list = reinterpret_cast<JOBOBJECT_BASIC_PROCESS_ID_LIST*>(memory.data());
    const DWORD size = static_cast<DWORD>(memory.size() * sizeof(ULONG_PTR));
    const BOOL fine = ::QueryInformationJobObject(job_.get(), JobObjectBasicProcessIdList, list, size, nullptr);
    if (!fine && ::GetLastError() == ERROR_MORE_DATA) continue;
    if (!fine) return pids;
    for (DWORD i = 0; i < list->NumberOfProcessIdsInList; i++) pids.push_back(static_cast<DWORD>(list->ProcessIdList[i]));
    return pids;
  }
  return pids;
}

std::optional<Job::Times> Job::times() const {
  JOBOBJECT_BASIC_ACCOUNTING_INFORMATION facts{};
  if (!::QueryInformationJobObject(job_.get(), JobObjectBasicAccountingInformation, &facts, sizeof facts, nullptr)) return std::nullopt;
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION extended{};
  if (!::QueryInformationJobObject(job_.get(), JobObjectExtendedLimitInformation, &extended, sizeof extended, nullptr)) extended = {};
  return Times{static_cast<std::uint64_t>(facts.TotalUserTime.QuadPart) / 10, static_cast<std::uint64_t>(facts.TotalKernelTime.QuadPart) / 10,
               extended.PeakJobMemoryUsed};
}

}  // namespace holdfast::windows
