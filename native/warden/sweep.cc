#include "sweep.h"

namespace holdfast::warden {

constinit PidSet g_found;
constinit PidSet g_seen;

}  // namespace holdfast::warden
