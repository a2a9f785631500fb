#include "sweep.h"

namespace holdfast::warden {

PidSet g_found;
PidSet g_seen;

}  // namespace holdfast::warden
