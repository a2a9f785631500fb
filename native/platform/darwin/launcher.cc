// The one owner of macOS: commands are launched by the host itself, and held by their group and by signs.
#include "platform/posix/launcher.h"

#include <sys/resource.h>
#include <sys/sysctl.h>

#include <optional>

namespace holdfast::darwin {

using core::Owner;

namespace {

constexpr const char* kWeaker =
    "macOS has no object that bounds a tree of processes: whoever hides from its signs is not found, and if this process is "
    "killed its commands live on";

/// "" for the one that there is.
std::string why_not(Owner owner) {
  switch (owner) {
    case Owner::cgroup:
    case Owner::scope:
    case Owner::subreaper: return "it exists on Linux only";
    case Owner::job: return "it exists on Windows only";
    case Owner::group: break;
  }
  return {};
}

double read_number(const char* name) {
  int value = 0;
  std::size_t size = sizeof value;
  return ::sysctlbyname(name, &value, &size, nullptr, 0) == 0 && size == sizeof value ? value : -1;
}

class Launcher final : public posix::Launcher {
 public:
  explicit Launcher(posix::Reactor& reactor) : posix::Launcher(reactor) {}

  posix::Diagnosis diagnose() override {
    posix::Diagnosis result;
    for (const Owner owner : core::kOwners) {
      std::string reason = why_not(owner);
      const bool available = reason.empty();
      result.owners.push_back({owner, available, std::move(reason)});
    }
    result.chosen = Owner::group;
    const auto limit = [&result](const char* name, double value) {
      if (value >= 0) result.limits.emplace_back(name, value);
    };
    limit("descriptors", posix::soft_limit(RLIMIT_NOFILE));
    limit("processes", posix::soft_limit(RLIMIT_NPROC));
    limit("ptys", read_number("kern.tty.ptmx_max"));
    return result;
  }

  // Whatever the host is at the launch, its child is too.
  int read_host(std::string& credentials, int& umask) override {
    credentials.clear();
    umask = -1;
    return 0;
  }

  void release_owners() override {}

 protected:
  void start_command(const std::shared_ptr<posix::Range>& range) override {
    posix::RangeRequest& request = range->request();
    core::Failure failure;
    if (!may_hold(request, failure)) return fail(range, std::move(failure));
    posix::GroupLaunch ends;
    if (!open_ends(request, ends, failure)) return fail(range, std::move(failure));
    if (request.may_weaken) warn(*range->sink, Owner::group, kWeaker);
    posix::launch_group(reactor_, range, std::move(ends));
  }

 private:
  static bool may_hold(const posix::RangeRequest& request, core::Failure& failure) {
    std::string reasons;
    bool only_limits = false;
    for (const Owner owner : request.owners) {
      std::string reason = why_not(owner);
      if (owner == Owner::group) {
        if (!request.limits.any()) return true;
        only_limits = true;
        reason = "it has no means to limit a range";
      }
      if (!reasons.empty()) reasons += "; ";
      reasons.append(core::name(owner)).append(": ").append(reason);
    }
    failure = {.error = 0, .code = only_limits ? "LIMITS_UNAVAILABLE" : "OWNER_UNAVAILABLE", .stage = core::Stage::own,
               .syscall = {}, .subject = std::move(reasons)};
    return false;
  }
};

}  // namespace

}  // namespace holdfast::darwin

namespace holdfast::posix {

std::unique_ptr<Launcher> make_launcher(Reactor& reactor, WardenFiles, ManagerAddress, core::StringPool&) {
  return std::make_unique<darwin::Launcher>(reactor);
}

}  // namespace holdfast::posix
