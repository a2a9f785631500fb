// What Linux offers on this host. Launch thread.
#pragma once
#include <string>

#include "platform/posix/diagnosis.h"
#include "owners.h"

namespace holdfast::linux_os {

posix::Diagnosis look_around(Owners& owners, const std::string& credentials);

}  // namespace holdfast::linux_os
