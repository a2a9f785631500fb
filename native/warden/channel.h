// One end of a SOCK_SEQPACKET socket: whole messages, with descriptors.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "protocol.h"

namespace holdfast::warden {

enum class Sent { done, full, gone };

/// A received message. Its descriptors belong to whoever received it.
struct Incoming {
  Header header;
  int fds[kMaxFds];
  int fd_count;
  bool fds_lost;  // the kernel could not give all descriptors (EMFILE), or there were more than kMaxFds
  alignas(8) unsigned char bytes[sizeof(SubtreeRequest)];  // last: of its pages only those that a message fills are touched

  template <class T>
  const T* as() const {
    return header.size == sizeof(T) ? reinterpret_cast<const T*>(bytes) : nullptr;
  }
  void close_fds();
};

enum class Received { message, nothing, malformed, gone };

/// Never blocks. `malformed`: a packet that is too short, too long or disagrees with its header; its descriptors are
/// closed and it should be dropped. `gone`: the other end is closed.
Received receive(int fd, Incoming& message);

/// Never blocks. `full`: try again when the socket is writable. `gone`: nobody will ever read it.
Sent send(int fd, const void* message, size_t size);

/// Fills in the header of an event and sends it.
template <class T>
Sent send(int fd, Kind kind, uint64_t range, T& event) {
  event.header = {kind, 0, sizeof(T), range};
  return send(fd, static_cast<const void*>(&event), sizeof(T));
}

}  // namespace holdfast::warden
