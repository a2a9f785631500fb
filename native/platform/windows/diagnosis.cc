#include "diagnosis.h"

#include "job.h"

namespace holdfast::windows {

Diagnosis look_around(Reactor& reactor) {
  Diagnosis result;
  Job job;
  const char* call = "";
  const DWORD error = job.create(reactor.port(), reactor.next_job(), {}, call);
  std::string reason;
  if (error != 0) reason = std::string(call) + " fails with Windows error " + std::to_string(error);
  result.owners.push_back({core::Owner::job, error == 0, std::move(reason)});
  BOOL in_job = FALSE;
  if (::IsProcessInJob(::GetCurrentProcess(), nullptr, &in_job)) result.kernel.emplace_back("hostInJob", in_job != FALSE);
  result.limits.emplace_back("processors", static_cast<double>(::GetActiveProcessorCount(ALL_PROCESSOR_GROUPS)));
  return result;
}

}  // namespace holdfast::windows
