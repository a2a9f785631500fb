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
      "native/core/environment.cc"
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
      "native/platform/linux/launch_block.cc",
      "native/platform/linux/host_state.cc",
      "native/platform/linux/group_owner.cc",
      "native/platform/linux/group_spawn.cc",
      "native/platform/linux/group_members.cc",
      "native/platform/linux/warden_start.cc",
      "native/platform/linux/warden_client.cc",
      "native/platform/linux/cgroup.cc",
      "native/platform/linux/inspect.cc",
      "native/platform/linux/exit_status.cc",
      "native/platform/linux/blocked_call.cc",
      "native/platform/linux/tty_wait.cc",
      "native/platform/linux/threads.cc"
    ],
    "addon_sources": [
      "native/addon/addon.cc",
      "native/addon/environment.cc",
      "native/addon/range_object.cc",
      "native/addon/raw_mode.cc",
      "native/addon/terminal_methods.cc",
      "native/addon/convert.cc"
    ]
  }
}
