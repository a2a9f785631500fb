// The language between the host and its warden, and between the host and a supervisor.
//
// One message is one SOCK_SEQPACKET packet: a fixed struct that begins with Header, in native byte order (both ends
// are built together and live on one machine). Descriptors travel beside it as SCM_RIGHTS. Argument vectors, the
// environment and the working directory do not fit into a packet; they travel in a *launch block*, a memfd (or a pipe
// where there is no memfd) that the child of the launch reads itself.
//
// Included by freestanding code: nothing but <stdint.h> and headers like this one here.
#pragma once
#include <stdint.h>

#include "core/contract.h"

namespace holdfast::warden {

inline constexpr uint32_t kProtocolVersion = 3;
/// Descriptor on which a warden finds its socket to the host.
inline constexpr int kChannelFd = 3;
using core::kControlFd;
/// Most descriptors that one message carries: block, stdin, stdout, stderr, control, supervisor channel.
inline constexpr int kMaxFds = 6;
/// Bytes of a process's first argument that a stray or escaped member is reported with.
inline constexpr int kArgv0Bytes = 64;
using core::kMaxListed;

enum class Kind : uint16_t {
  // host -> warden
  adopt_subtree = 1,  // SubtreeRequest + 1 fd: the directory below which leaves are made; answered by subtree
  launch = 2,         // LaunchRequest + fds; answered by started or failed
  ping = 3,           // Header only; answered by pong; a supervisor answers on its own channel
  // host -> warden (cgroup kinds) or host -> supervisor
  term = 4,           // Header only: TERM stage for every member of the range
  kill = 5,           // Header only: KILL until the range is empty
  // warden or supervisor -> host
  ready = 16,         // ReadyEvent, once, first
  pong = 17,          // Header only
  subtree = 18,       // SubtreeEvent
  started = 19,       // StartedEvent: the exec succeeded
  failed = 20,        // FailedEvent: the launch failed and nothing of it is left; the range is over
  exited = 21,        // ExitedEvent: the direct command was reaped
  stray = 22,         // MemberEvent: a member beyond the command that had to be ended; again, with EndedBy::kill, when
                      // it has survived its TERM
  escaped = 23,       // MemberEvent: a descendant seen outside the range's leaf; range 0 where its range cannot be told;
                      // again when it has been ended
  empty = 24,         // EmptyEvent: nothing of the range is left; the range is over
  limits = 25,        // LimitsEvent, for a launch with limits: before exited, and again before empty
};

// A subreaper range reports on its own channel, with these exceptions, which come on the warden's: `failed` when there is
// no supervisor to report it (too few descriptors, no fork), and, when the supervisor has died before its range was
// empty, `exited` (if the command was still alive) and `empty` with proven = 0. For such a range the warden takes `kill`
// (the supervisor does not answer: end it, and then everything that it leaves behind) and `term` (only wakes the
// supervisor, should it be stopped).

struct Header {
  Kind kind;
  uint16_t reserved;
  uint32_t size;   // of the whole message, in bytes; a receiver drops what disagrees with the packet
  uint64_t range;  // the host's number of the range, never reused; 0 where no range is meant
};

/// How a range is held. Values are fixed: they index the warden's subtrees.
enum class Hold : uint32_t { cgroup = 0, scope = 1, subreaper = 2 };

struct SubtreeRequest {
  Header header;
  Hold hold;         // cgroup or scope
  uint32_t path_length;
  char path[4096];   // absolute path of the directory, for its removal at the end; not NUL-terminated. Length 0: it is
                     // somebody else's to remove
};

/// Where the live probe of a subtree stopped.
enum class ProbeStep : uint32_t { done = 0, mkdir, open, type, clone, verify, kill, empty, rmdir };

struct SubtreeEvent {
  Header header;
  Hold hold;
  ProbeStep step;     // done: the subtree is in use from now on
  int32_t error;      // errno of the step that failed, 0 otherwise
  uint32_t has_kill;  // 1: cgroup.kill exists (Linux 5.14); 0: freeze and sweep
};

using core::Limits;

struct LaunchRequest {
  Header header;
  Hold hold;
  uint32_t has_control;  // 1: a control descriptor follows stderr
  uint32_t block_size;   // bytes of the launch block
  uint32_t reserved;
  Limits limits;         // only in a leaf whose subtree has the controllers enabled
  // fds, in order: block, stdin, stdout, stderr, [control], [channel: only with Hold::subreaper]
};

struct ReadyEvent {
  Header header;
  uint32_t version;       // kProtocolVersion
  int32_t pid;
  uint32_t can_subreap;   // PR_SET_CHILD_SUBREAPER took effect: an orphan was seen to come back
  uint32_t has_proc;      // /proc is there and shows the warden under its own number; without it no member can be found
  uint32_t has_clone3;
  uint32_t has_children;  // /proc/<pid>/task/<tid>/children is readable (CONFIG_PROC_CHILDREN)
  int32_t subreap_error;  // errno where the trial itself could not be made (no process to be had), else 0
};

struct StartedEvent {
  Header header;
  int32_t pid;
  int32_t holder_pid;  // who sends this: the warden or the range's supervisor
};

/// Which step of a launch failed.
enum class LaunchStep : uint32_t { own = 1, clone, block, session, descriptors, state, chdir, exec, limits, terminal };

struct FailedEvent {
  Header header;
  LaunchStep step;
  int32_t error;  // errno
};

struct ExitedEvent {
  Header header;
  int32_t pid;
  int32_t status;       // as wait4 gives it
  uint64_t user_us;     // of the command and what it waited for
  uint64_t system_us;
  uint64_t max_rss_kib;
};

enum class EndedBy : uint32_t { none = 0, term = 1, kill = 2 };

struct MemberEvent {
  Header header;
  int32_t pid;
  EndedBy ended_by;
  char argv0[kArgv0Bytes];  // NUL-terminated, cut where longer
};

struct EmptyEvent {
  Header header;
  uint32_t proven;      // 1: the owner proved it; 0: observed only
  uint32_t strays;      // members beyond the command that had to be ended, all of them
  uint32_t has_usage;
  uint32_t reserved;
  uint64_t user_us;     // of the whole range, valid with has_usage
  uint64_t system_us;
};

struct LimitsEvent {
  Header header;
  uint64_t oom_kills;     // members that the kernel has ended because the range had no memory left
  uint64_t peak_bytes;    // most memory at one time, 0 where the kernel does not tell (before Linux 5.19)
  uint64_t throttled_us;  // time that members were kept from a processor, of all processors together
};

/// The process-wide state of the host at the call, applied in the child before exec.
struct HostState {
  enum Applies : uint32_t { kUmask = 1, kNice = 2, kOomScore = 4, kLimits = 8, kAffinity = 16 };
  uint32_t applies;
  uint32_t umask;
  int32_t nice;
  int32_t oom_score_adj;
  struct Limit {
    uint64_t soft, hard;
  } limits[16];            // by RLIMIT_* number
  uint8_t affinity[128];   // a cpu mask as sched_setaffinity takes it
};

/// Head of a launch block. Offsets count from the first byte of the block. The pointer table holds offsets, which the
/// child turns into pointers in place: one spare slot (for /bin/sh, see LaunchStep::exec), argv, 0, envp, 0.
struct LaunchBlock {
  uint32_t size;            // bytes of the whole block
  uint32_t argc;
  uint32_t envc;
  uint32_t table_offset;    // of uint64_t[1 + argc + 1 + envc + 1], 8-byte aligned
  uint32_t program_offset;  // what is executed: absolute, or relative to cwd where it contains a separator
  uint32_t cwd_offset;      // absolute
  uint32_t terminal;        // 1: stdin is a terminal, which becomes the controlling one of the new session
  uint32_t reserved;
  HostState state;
};

/// What the child of a launch writes to its close-on-exec status pipe when a step fails; end of file is success.
struct ChildFailure {
  LaunchStep step;
  int32_t error;
};

}  // namespace holdfast::warden
