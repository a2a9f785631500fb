import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leakFence, unifiedMount } from '../support/fence.ts';
import { askHost } from '../support/host.ts';
import { waitUntil } from '../support/until.ts';

leakFence();
const unified = unifiedMount();
const own = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1] ?? '/';
const home = join(unified, own);

interface Facts { owner: string; proof: string; strays: number; place: string; chosen: string; reasons: Record<string, string>; warnings: string[] }

let group: string;

/** Runs the host in a group of its own, after some preparation by a shell that stands in the group already. */
const inGroup = (preparation: string, ...unshare: string[]): Promise<Facts> =>
  askHost<Facts>('diagnosis.mjs', [], {
    env: { GROUP: group, MOUNT: unified },
    wrap: ['/bin/sh', '-c', 'echo $$ > $GROUP/host/cgroup.procs && exec "$@"', 'sh', ...(unshare.length > 0 ? ['unshare', ...unshare] : []), '/bin/sh', '-c', `${preparation} && exec "$@"`, 'sh'],
  });
const groupsIn = (directory: string): string[] => readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);

function removeGroup(path: string): void {
  for (const name of groupsIn(path)) removeGroup(join(path, name));
  rmdirSync(path);
}

function writable(): boolean {
  try {
    const trial = join(home, `holdfast-test-trial-${process.pid}`);
    mkdirSync(trial);
    rmdirSync(trial);
    return process.getuid?.() === 0 && spawnSync('unshare', ['--cgroup', '--mount', 'true']).status === 0;
  } catch {
    return false;
  }
}
const able = writable();
if (!able) console.log('35-owner-cgroup: not root, or no cgroup v2 directory can be written, or no namespaces can be made here');

describe.skipIf(!able)('the owner cgroup', () => {
  beforeEach(() => {
    group = join(home, `holdfast-test-${process.pid}`);
    for (const each of [group, join(group, 'host'), join(group, 'host', 'foreign')]) mkdirSync(each);
  });
  afterEach(async () => {
    await waitUntil('nobody is left in the group', () => readFileSync(join(group, 'cgroup.events'), 'utf8').includes('populated 0'));
    removeGroup(group);
  });

  it('makes its leaves below the group of the host, and removes all of them; what it has not made stays', async () => {
    const facts = await inGroup(':');
    expect(facts).toMatchObject({ owner: 'cgroup', proof: 'proven', strays: 1, warnings: [] });
    expect(join(unified, facts.place)).toMatch(new RegExp(`^${group}/host/holdfast-\\d+-[0-9a-f]{8}/r\\d+$`));
    await waitUntil('only what was there before is left', () => groupsIn(join(group, 'host')).join() === 'foreign');
  });

  it('works in a cgroup namespace with a mount of its own, where the own group is the root', async () => {
    const facts = await inGroup('umount $MOUNT && mount -t cgroup2 cgroup2 $MOUNT', '--cgroup', '--mount');
    expect(facts).toMatchObject({ owner: 'cgroup', proof: 'proven' });
    expect(facts.place).toMatch(/^\/holdfast-/);
  });

  it('does not take a mount that was made outside the cgroup namespace', async () => {
    const facts = await inGroup(':', '--cgroup', '--mount');
    expect(facts).toMatchObject({ owner: 'subreaper', proof: 'proven', chosen: 'subreaper', warnings: [] });
    expect(facts.reasons.cgroup).toContain(`${unified} was mounted outside this cgroup namespace`);
  });

  it('recognises a read-only mount, as in a container', async () => {
    const facts = await inGroup('mount -o remount,bind,ro $MOUNT', '--mount');
    expect(facts).toMatchObject({ owner: 'subreaper', chosen: 'subreaper' });
    expect(facts.reasons.cgroup).toContain(`${unified} is mounted read-only`);
  });

  it('takes the mount that can be written where there is another one', async () => {
    const facts = await inGroup('mount -o remount,bind,ro $MOUNT && mount -t tmpfs tmpfs /mnt && mkdir /mnt/groups && mount -t cgroup2 cgroup2 /mnt/groups', '--mount');
    expect(facts).toMatchObject({ owner: 'cgroup', proof: 'proven' });
  });

  it('is not fooled by a directory that can be made: the probe puts a process in', async () => {
    // The group belongs to the user, the files through which processes come in do not.
    const facts = await inGroup('chown 65534 $GROUP/host && set -- setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+dac_read_search --ambient-caps=+dac_read_search "$@"');
    expect(facts).toMatchObject({ owner: 'subreaper', chosen: 'subreaper' });
    expect(facts.reasons.cgroup).toMatch(/live probe .* failed at placing a process in it: Permission denied/);
    expect(groupsIn(join(group, 'host'))).toEqual(['foreign']);
  });

  it('works for a user in a group that is delegated to him', async () => {
    const delegate = 'for each in "" /cgroup.procs /cgroup.subtree_control /cgroup.threads; do chown 65534 $GROUP/host$each; done';
    const facts = await inGroup(`${delegate} && set -- setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+dac_read_search --ambient-caps=+dac_read_search "$@"`);
    expect(facts).toMatchObject({ owner: 'cgroup', proof: 'proven' });
  });

  it('says when the tree may have no more groups', async () => {
    writeFileSync(join(group, 'cgroup.max.descendants'), '2');
    const facts = await inGroup(':');
    expect(facts).toMatchObject({ owner: 'subreaper', chosen: 'subreaper' });
    expect(facts.reasons.cgroup).toMatch(/mkdir in .*: Resource temporarily unavailable/);
    expect(existsSync(join(group, 'host', 'foreign'))).toBe(true);
  });
});
