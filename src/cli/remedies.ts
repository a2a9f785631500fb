import type { OwnerKind } from '../index.js';

/**
 * What helps against a reason, in words that somebody can act on. Reasons come from native code and name what was tried;
 * the first row that fits wins.
 */
const REMEDIES: readonly { readonly kind: OwnerKind; readonly reason: RegExp; readonly remedy: string }[] = [
  { kind: 'cgroup', reason: /read-only/, remedy: 'Mount the cgroup file system writable: docker run --cgroupns=private with a writable /sys/fs/cgroup, or --privileged. docs/owners.md has the recipes.' },
  { kind: 'cgroup', reason: /Permission denied|Operation not permitted/, remedy: "Start the host in a group that is delegated to it: Delegate=yes in its systemd unit, or 'systemd-run --user --scope -p Delegate=yes -- command'." },
  { kind: 'cgroup', reason: /no cgroup v2/, remedy: 'Boot with the unified hierarchy (systemd.unified_cgroup_hierarchy=1), or mount a cgroup2 file system.' },
  { kind: 'cgroup', reason: /outside/, remedy: 'Mount cgroup2 inside the container, or start the container with a cgroup namespace of its own.' },
  { kind: 'cgroup', reason: /Resource temporarily unavailable/, remedy: 'Raise cgroup.max.descendants or cgroup.max.depth of the groups above.' },
  { kind: 'scope', reason: /not started by systemd/, remedy: 'Nothing to do where there is no systemd; a container has none.' },
  { kind: 'scope', reason: /user bus/, remedy: "Keep the user's manager running: loginctl enable-linger, and install dbus-user-session where it is missing." },
  { kind: 'scope', reason: /libsystemd/, remedy: 'Install libsystemd (Debian: libsystemd0).' },
  { kind: 'scope', reason: /hybrid/, remedy: 'Boot with the unified hierarchy (systemd.unified_cgroup_hierarchy=1).' },
  { kind: 'scope', reason: /not answered|not done within/, remedy: 'See whether the manager hangs: systemctl --user status.' },
  { kind: 'subreaper', reason: /proc/, remedy: 'Mount a /proc of this pid namespace.' },
  { kind: 'subreaper', reason: /no warden/, remedy: 'Allow one of the ways in which the warden starts: the packaged file, memory (vm.memfd_noexec), or a temporary directory without noexec.' },
];

/** What somebody can do so that the owner works; undefined where there is nothing to say. */
export function remedyFor(kind: OwnerKind, reason: string): string | undefined {
  return REMEDIES.find((row) => row.kind === kind && row.reason.test(reason))?.remedy;
}
