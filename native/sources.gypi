{
  "variables": {
    "warden_sources": [
      "native/warden/start.cc",
      "native/warden/main.cc",
      "native/warden/memory.cc",
      "native/warden/channel.cc",
      "native/warden/descriptors.cc",
      "native/warden/facts.cc",
      "native/warden/table.cc",
      "native/warden/scratch.cc",
      "native/warden/launch.cc",
      "native/warden/child.cc",
      "native/warden/cgroup.cc",
      "native/warden/probe.cc",
      "native/warden/ranges.cc",
      "native/warden/orphans.cc",
      "native/warden/supervisor.cc",
      "native/warden/sweep.cc",
      "native/warden/procfs.cc",
      "native/warden/pid_set.cc"
    ],
    "core_sources": [
      "native/core/tail_ring.cc",
      "native/core/text.cc",
      "native/core/drain.cc",
      "native/core/escalation.cc",
      "native/core/environment.cc",
      "native/core/command_line.cc",
      "native/core/windows_names.cc",
      "native/core/job_launch.cc"
    ],
    "posix_sources": [
      "native/platform/posix/descriptors.cc",
      "native/platform/posix/raw_mode.cc",
      "native/platform/posix/lookup.cc",
      "native/platform/posix/pty.cc",
      "native/platform/posix/spill_file.cc"
    ],
    "linux_sources": [
      "native/platform/linux/engine.cc",
      "native/platform/linux/reactor.cc",
      "native/platform/linux/range.cc",
      "native/platform/linux/collector.cc",
      "native/platform/linux/terminal.cc",
      "native/platform/linux/foreground.cc",
      "native/platform/linux/launcher.cc",
      "native/platform/linux/owners.cc",
      "native/platform/linux/scope.cc",
      "native/platform/linux/manager.cc",
      "native/platform/linux/sd_bus.cc",
      "native/platform/linux/diagnosis.cc",
      "native/platform/linux/launch_block.cc",
      "native/platform/linux/host_state.cc",
      "native/platform/linux/group_owner.cc",
      "native/platform/linux/group_spawn.cc",
      "native/platform/linux/group_members.cc",
      "native/platform/linux/warden_start.cc",
      "native/platform/linux/warden_client.cc",
      "native/platform/linux/warden_events.cc",
      "native/platform/linux/warden_holders.cc",
      "native/platform/linux/cgroup.cc",
      "native/platform/linux/cgroup_path.cc",
      "native/platform/linux/inspect.cc",
      "native/platform/linux/exit_status.cc",
      "native/platform/linux/blocked_call.cc",
      "native/platform/linux/tty_wait.cc",
      "native/platform/linux/threads.cc"
    ],
    "windows_sources": [
      "native/platform/windows/base.cc",
      "native/platform/windows/reactor.cc",
      "native/platform/windows/pipes.cc",
      "native/platform/windows/spill_file.cc",
      "native/platform/windows/collector.cc",
      "native/platform/windows/input.cc",
      "native/platform/windows/job.cc",
      "native/platform/windows/interrupt.cc",
      "native/platform/windows/inspect.cc",
      "native/platform/windows/lookup.cc",
      "native/platform/windows/launch.cc",
      "native/platform/windows/launcher.cc",
      "native/platform/windows/range.cc",
      "native/platform/windows/pseudo_console.cc",
      "native/platform/windows/terminal.cc",
      "native/platform/windows/foreground.cc",
      "native/platform/windows/diagnosis.cc",
      "native/platform/windows/engine.cc"
    ],
    "interrupt_sources": [
      "native/interrupt/main.cc"
    ],
    "addon_sources": [
      "native/addon/addon.cc",
      "native/addon/environment.cc",
      "native/addon/range_object.cc",
      "native/addon/convert.cc",
      "native/addon/terminal_methods.cc"
    ],
    "addon_posix_sources": [
      "native/addon/host_posix.cc",
      "native/addon/raw_mode.cc"
    ],
    "addon_windows_sources": [
      "native/addon/host_windows.cc"
    ]
  }
}
