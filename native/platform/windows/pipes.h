// Pipes between the host and a command. All of them are named, because only those can be overlapped; the names cannot be
// guessed, belong to one user, refuse other machines and are good for one connection.
#pragma once
#include <string>

#include "base.h"

namespace holdfast::windows {

/// `reads`, `writes`: what the command does. Both ends are blocking for the command and overlapped for the host.
enum class Direction { command_reads, command_writes, both };

/// A pipe whose host's end the engine uses itself. 0 or a Windows error.
DWORD make_pipe(Direction direction, Handle& host, Handle& command);

/// A pipe whose host's end Node opens by `name`. A control channel (both directions) is overlapped for the command too: reads
/// and writes of a blocking one would wait for each other.
DWORD make_named_pipe(Direction direction, Handle& command, std::string& name);

/// Waits until somebody has opened the other end of such a pipe, at most `timeout_ms`. 0 or a Windows error.
DWORD await_connection(HANDLE command, DWORD timeout_ms);

/// What the command is given for a stream that nobody wants. 0 or a Windows error.
DWORD open_null(bool reads, Handle& command);

}  // namespace holdfast::windows
