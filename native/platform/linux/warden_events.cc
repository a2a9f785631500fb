#include "warden_events.h"

namespace holdfast::linux_os {

using posix::LaunchSpec;
using posix::Usage;
using warden::Header;
using warden::Kind;

namespace {

Usage usage_of(const warden::ExitedEvent& event) { return {event.user_us, event.system_us, event.max_rss_kib}; }

core::Failure launch_failure(const warden::FailedEvent& event, const LaunchSpec& spec) {
  core::Failure failure{.error = event.error, .code = {}, .stage = core::Stage::launch, .syscall = "spawn", .subject = spec.program};
  switch (event.step) {
    case warden::LaunchStep::own:
      failure.stage = core::Stage::own;
      failure.syscall = "mkdir";
      break;
    case warden::LaunchStep::clone:
      failure.syscall = "clone";
      break;
    case warden::LaunchStep::terminal:
      failure.stage = core::Stage::terminal;
      failure.syscall = "ioctl TIOCSCTTY";
      break;
    case warden::LaunchStep::limits:
      failure = {.error = event.error, .code = "LIMITS_UNAVAILABLE", .stage = core::Stage::own, .syscall = {}, .subject = std::string("the limits were refused by the kernel: ") + strerror(event.error)};
      break;
    case warden::LaunchStep::chdir:
      failure.syscall = "chdir";
      failure.subject = spec.cwd;
      break;
    case warden::LaunchStep::block:
    case warden::LaunchStep::session:
    case warden::LaunchStep::descriptors:
    case warden::LaunchStep::state:
    case warden::LaunchStep::exec:
      break;
  }
  return failure;
}

}  // namespace

void deliver(Range& range, const void* message, std::size_t size) {
  Header header;
  memcpy(&header, message, sizeof header);
  const auto as = [&]<typename T>(T& event) {
    if (size != sizeof event) return false;
    memcpy(&event, message, sizeof event);
    return true;
  };
  switch (header.kind) {
    case Kind::started: {
      warden::StartedEvent event;
      if (as(event)) range.started(event.pid);
      break;
    }
    case Kind::failed: {
      warden::FailedEvent event;
      if (as(event)) range.failed(launch_failure(event, range.spec()));
      break;
    }
    case Kind::exited: {
      warden::ExitedEvent event;
      if (as(event)) range.exited(event.pid, event.status, usage_of(event));
      break;
    }
    case Kind::stray:
    case Kind::escaped: {
      warden::MemberEvent event;
      if (!as(event)) break;
      event.argv0[sizeof event.argv0 - 1] = '\0';
      const char ended = event.ended_by == warden::EndedBy::term ? 'T' : event.ended_by == warden::EndedBy::kill ? 'K' : '\0';
      range.member(event.pid, event.argv0, ended, header.kind == Kind::escaped);
      break;
    }
    case Kind::limits: {
      warden::LimitsEvent event;
      if (as(event)) range.limited({event.oom_kills, event.peak_bytes, event.throttled_us});
      break;
    }
    case Kind::empty: {
      warden::EmptyEvent event;
      if (!as(event)) break;
      std::optional<Usage> usage;
      if (event.has_usage != 0) usage = Usage{event.user_us, event.system_us, 0};
      range.emptied(event.proven != 0, event.strays, usage);
      break;
    }
    default:
      break;
  }
}

}  // namespace holdfast::linux_os
