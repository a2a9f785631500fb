// Starting the warden: from where its file can be had, and until it has said that it is ready.
#pragma once
#include <sys/types.h>

#include <string>

#include "warden/protocol.h"
#include "platform/posix/descriptors.h"
#include "platform/posix/launcher.h"
#include "refusal.h"

namespace holdfast::linux_os {

using posix::WardenFiles;

struct WardenProcess {
  posix::Fd socket;  // SOCK_SEQPACKET, ours
  pid_t pid = -1;
  const char* from = "none";  // override, package, memory, directory
  std::string path;           // where `from` is a file
  warden::ReadyEvent ready{};
  warden::HostState inherited{};  // what it and its children have by themselves, as far as it is known
};

/// Tries, in this order: the override (alone, if there is one); the packaged file, if it belongs to root or to us;
/// memory (memfd); a 0700 file in a new directory, removed again at once. False: `refusal` says why each failed; a
/// shortage ends the tries. Blocks for at most a second a try.
bool start_warden(const WardenFiles& files, WardenProcess& out, Refusal& refusal);

/// Receives one message of at most `size` bytes within `timeout_ms`. Bytes, 0 at end of file, or -1 and errno.
ssize_t receive_within(int socket, void* message, std::size_t size, int timeout_ms);

/// Whether a child has ended. It is not reaped.
bool has_ended(pid_t pid);

/// Reaps a warden that has been told to go, or is gone: waits up to `timeout_ms`, then kills it.
void reap_warden(pid_t pid, int timeout_ms);

}  // namespace holdfast::linux_os
