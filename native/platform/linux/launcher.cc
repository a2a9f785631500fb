#include "launcher.h"

#include <errno.h>
#include <unistd.h>

#include "diagnosis.h"
#include "launch_block.h"
#include "threads.h"

namespace holdfast::linux_os {

using core::Owner;
using core::Stage;
using posix::RangeRequest;

void Launcher::on_thread() { let_waker_run_on(); }

int Launcher::read_host(std::string& credentials, int& umask) {
  if (const int error = host_at_call_.open()) {
    // Without /proc nobody can tell who the host is now, and so whether a warden still has its rights: commands are
    // launched in the host itself (see Owners::ensure_warden), where they cannot have more than it has.
    credentials.clear();
    umask = -1;
    return error == ENOENT || error == EACCES ? 0 : error;
  }
  return host_at_call_.read_status(credentials, umask);
}

void Launcher::start_command(const std::shared_ptr<Range>& range) {
  RangeRequest& request = range->request();
  core::Failure failure;
  const std::optional<Owners::Choice> choice = owners_.choose(request, failure);
  if (!choice) return fail(range, std::move(failure));
  posix::GroupLaunch ends;
  if (!open_ends(request, ends, failure)) return fail(range, std::move(failure));
  if (!choice->weaker_because.empty()) warn(*range->sink, choice->owner, choice->weaker_because);
  if (choice->warden) return launch_by_warden(range, *choice, std::move(ends));
  posix::launch_group(reactor_, range, std::move(ends));
}

void Launcher::launch_by_warden(const std::shared_ptr<Range>& range, const Owners::Choice& choice, posix::GroupLaunch ends) {
  RangeRequest& request = range->request();
  warden::HostState state{};
  host_state_.read_limits(state, ::getpid());
  leave_out_inherited(state, choice.warden->process().inherited);
  if (request.umask >= 0) {
    state.umask = static_cast<std::uint32_t>(request.umask);
    state.applies |= warden::HostState::kUmask;
  }
  WardenClient::Launch launch;
  launch.range = range;
  launch.hold = choice.owner == Owner::subreaper ? warden::Hold::subreaper
                : choice.owner == Owner::scope   ? warden::Hold::scope
                                                 : warden::Hold::cgroup;
  launch.limits = request.limits;
  if (const int error = make_launch_block(request.launch, state, strings_, launch.block, launch.block_size)) {
    return fail(range, {.error = error, .code = {}, .stage = Stage::launch, .syscall = "memfd_create", .subject = {}});
  }
  strings_.give(std::move(request.launch.env));
  for (int i = 0; i < 3; i++) launch.stdio[i] = std::move(ends.stdio[i]);
  launch.control = std::move(ends.control);
  for (int i = 0; i < 2; i++) launch.outputs[i] = std::move(ends.outputs[i]);
  launch.input = std::move(ends.input);
  choice.warden->launch(std::move(launch));
}

posix::Diagnosis Launcher::diagnose() {
  std::string credentials;
  int umask;
  if (host_state_.open() == 0) host_state_.read_status(credentials, umask);
  return look_around(owners_, credentials);
}

void Launcher::release_owners() {
  for (const auto& warden : owners_.release()) reactor_.post([warden] { warden->shut_down(1000); });
}

}  // namespace holdfast::linux_os

namespace holdfast::posix {

std::unique_ptr<Launcher> make_launcher(Reactor& reactor, WardenFiles files, ManagerAddress manager, core::StringPool& strings) {
  return std::make_unique<linux_os::Launcher>(reactor, std::move(files), std::move(manager), strings);
}

}  // namespace holdfast::posix
