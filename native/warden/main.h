#pragma once

namespace holdfast::warden {

/// The warden, from its start to its end. Expects its socket at kChannelFd.
[[noreturn]] void run();

}  // namespace holdfast::warden
