// Builds the launch block of protocol.h: argv, environment, working directory and host state in one descriptor.
#pragma once
#include <string>

#include "core/string_pool.h"
#include "warden/protocol.h"
#include "platform/posix/descriptors.h"
#include "platform/posix/range.h"

namespace holdfast::linux_os {

using posix::LaunchSpec;

/// Puts the block into a memfd (a pipe where memfd_create is refused and the block fits into one). `strings` lends the
/// memory that it is put together in. 0 or an errno.
int make_launch_block(const LaunchSpec& spec, const warden::HostState& state, core::StringPool& strings, posix::Fd& out,
                      std::uint32_t& size);

}  // namespace holdfast::linux_os
