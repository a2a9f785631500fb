// Launches by a warden, or by the host itself where none can be had.
#pragma once
#include <memory>
#include <string>

#include "platform/posix/launcher.h"
#include "host_state.h"
#include "owners.h"

namespace holdfast::linux_os {

class Launcher final : public posix::Launcher {
 public:
  Launcher(Reactor& reactor, WardenFiles files, ManagerAddress manager, core::StringPool& strings)
      : posix::Launcher(reactor), strings_(strings), owners_(reactor, std::move(files), std::move(manager), host_state_) {}

  posix::Diagnosis diagnose() override;
  int read_host(std::string& credentials, int& umask) override;
  void release_owners() override;

 protected:
  void start_command(const std::shared_ptr<Range>& range) override;
  void on_thread() override;

 private:
  void launch_by_warden(const std::shared_ptr<Range>& range, const Owners::Choice& choice, posix::GroupLaunch ends);

  core::StringPool& strings_;
  HostStateReader host_state_;
  HostStateReader host_at_call_;  // for read_host(), on other threads
  Owners owners_;
};

}  // namespace holdfast::linux_os
