// The one place that says which engine this addon is compiled with. Both have the same names and shapes; what they do not
// share is in host_posix.cc and host_windows.cc, behind host.h.
#pragma once
#if defined(_WIN32)
#include "platform/windows/engine.h"
#include "platform/windows/foreground.h"
namespace holdfast::addon {
namespace os = windows;
using os::Lookup;
}  // namespace holdfast::addon
#else
#include "platform/posix/engine.h"
#include "platform/posix/foreground.h"
#include "platform/posix/lookup.h"
#include "platform/posix/processes.h"
namespace holdfast::addon {
namespace os = posix;
using posix::Lookup;
}  // namespace holdfast::addon
#endif
