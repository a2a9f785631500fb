// Members in namespaces of their own; the same list for each owner.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { heldBy, usableOwners } from '../support/owners.ts';
import { alive, descendants } from '../support/proc.ts';
import { pidLines } from '../support/run.ts';
import { waitUntil } from '../support/until.ts';

const fence = leakFence();
const isRoot = process.getuid?.() === 0;
const mapped = isRoot ? [] : ['--user', '--map-root-user'];
const possible = (...flags: string[]): boolean => spawnSync('unshare', [...flags, 'true']).status === 0;

/** What is run there: the shell of the range waits for it, and what is below it ignores TERM. */
const inside = (...flags: string[]): string[] =>
  ['/bin/sh', '-c', 'unshare "$@" & echo $!; wait', 'sh', ...flags, '/bin/sh', '-c', "trap '' TERM; (setsid sleep 30 &) ; sleep 30; :"];

const namespaces: [string, string[]][] = [
  ['user namespace, as its root', ['--user', '--map-root-user']],
  ['pid namespace, whose first process it is', [...mapped, '--pid', '--fork', '--mount-proc']],
  ['mount namespace without a /proc', [...mapped, '--mount', '/bin/sh', '-c', 'mount -t tmpfs none /proc && exec "$@"', 'sh']],
  ['cgroup namespace', [...mapped, '--cgroup']],
];

describe.each(usableOwners)('the owner %s', (kind) => {
  const { spawn, ends } = heldBy(kind, fence);

  it.each(namespaces.filter(([, flags]) => possible(...flags)))('ends a member in another %s', async (_, flags) => {
    const handle = spawn(inside(...flags));
    const [first] = (await pidLines(handle, 1)) as [number];
    // Two of them sleep; one has made a session of its own, and its parent is gone.
    const pids = await waitUntil('the sleepers', async () => {
      const { members } = await handle.inspect();
      const sleepers = members.filter((one) => one.argv0 === 'sleep');
      return sleepers.length === 2 && members.map((one) => one.pid);
    });
    expect(pids).toContain(first);
    await ends(handle, pids);
    expect(descendants(first)).toEqual([]);
    expect(pids.filter(alive)).toEqual([]);
  });
});

it.runIf(namespaces.some(([, flags]) => !possible(...flags)))('some namespaces cannot be made here', () => {
  for (const [name, flags] of namespaces) if (!possible(...flags)) console.log(`not tested here, the kernel does not let this user make one: ${name}`);
});
