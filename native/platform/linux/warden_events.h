// Reading what a warden or a supervisor has sent.
#pragma once
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "warden/protocol.h"
#include "platform/posix/range.h"

namespace holdfast::linux_os {

using posix::Range;

inline warden::Header make_header(warden::Kind kind, std::size_t size, std::uint64_t range) {
  return {kind, 0, static_cast<std::uint32_t>(size), range};
}

/// Turns an event that a warden and a supervisor send alike into a call on its range. Others are dropped.
void deliver(Range& range, const void* message, std::size_t size);

/// Calls `use(message, size)` for each message until the socket is empty or `use` returns false. False at the end of the
/// connection.
template <typename F>
bool receive_all(int socket, F use) {
  alignas(8) char message[512];
  for (;;) {
    const ssize_t n = ::recv(socket, message, sizeof message, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    // No memory at this moment. It is no end, and whoever catches up here relies on having heard all.
    if (n < 0 && (errno == ENOMEM || errno == ENOBUFS)) continue;
    // The other side has ended with a request of ours unread, and the kernel reports that before the messages that it
    // had sent: a TERM that crosses the word that the range is empty. Once reported, the error is gone, and what was
    // sent follows, then the end of file.
    if (n < 0 && errno == ECONNRESET) continue;
    if (n < 0 && errno == EAGAIN) return true;
    if (n <= 0) return false;
    const auto size = static_cast<std::size_t>(n);
    warden::Header header;
    if (size < sizeof header) continue;
    memcpy(&header, message, sizeof header);
    if (header.size != size) continue;
    if (!use(message, size)) return true;
  }
}

}  // namespace holdfast::linux_os
