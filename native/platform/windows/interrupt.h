// The polite stage: Ctrl-C for everybody in a Job who has a console, by a short-lived process of our own. See native/interrupt.
#pragma once
#include "base.h"
#include "job.h"

namespace holdfast::windows {

/// The process that tells the Job. It dies with this object, and with the host.
struct Interruption {
  Job own;
  Handle process;
  /// After its end: somebody was told.
  bool told() const;
};

/// 0, or a Windows error: nobody is told, and nothing is left. Launch thread.
DWORD start_interruption(const Job& job, Interruption& interruption);

}  // namespace holdfast::windows
