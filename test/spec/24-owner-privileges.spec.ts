// Members with other rights than their host; the same list for each owner.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { leakFence, unifiedMount } from '../support/fence.ts';
import { askHost } from '../support/host.ts';
import { heldBy, usableOwners } from '../support/owners.ts';
import { dummyPath } from '../support/paths.ts';
import { asNobodyElse, nobodyElse } from '../support/privilege.ts';
import { alive, state } from '../support/proc.ts';
import { pidLines } from '../support/run.ts';
import { waitUntil } from '../support/until.ts';

const isRoot = process.getuid?.() === 0;
const fence = leakFence();

describe.runIf(isRoot).each(usableOwners)('the owner %s, with a host that is root', (kind) => {
  const { spawn, ends } = heldBy(kind, fence);

  it('ends members of another user, deaf to TERM and in sessions of their own', async () => {
    const handle = spawn(['/bin/sh', '-c', "setpriv --reuid=63218 --regid=63218 --clear-groups /bin/sh -c \"trap '' TERM; (setsid sleep 30 & echo \\$!); exec sleep 30\" & echo $!; wait"]);
    await ends(handle, await pidLines(handle, 2));
  });
});

interface Facts {
  /** Of the member with the rights of root. */
  pid: number;
  done: unknown;
  /** What waitForExit answered after terminate(); it is asked for a second only where it is not to be true. */
  waited: boolean;
  proof: string;
  members: number[];
  /** Of the range, after somebody else has ended the member. */
  after: { waited: boolean; proof: string };
}

describe.runIf(isRoot)('a setuid-root member of an ordinary user', () => {
  // /tmp may forbid it (nosuid), and the member must not be anybody's to run: a directory for this test alone.
  const place = mkdtempSync(join(tmpdir(), 'holdfast-setuid-'));
  const program = join(place, 'dummy');
  copyFileSync(dummyPath, program);
  chmodSync(program, 0o4755);
  chmodSync(place, 0o755);
  afterAll(() => { rmSync(place, { recursive: true }); });
  const honoured = execFileSync('findmnt', ['-no', 'OPTIONS', '--target', place], { encoding: 'utf8' }).includes('nosuid') === false;

  it.runIf(honoured).each(['subreaper', 'group'])('cannot be ended by the owner %s: it is known to be there, waitForExit stays open, and nothing is claimed', async (kind) => {
    const facts = await askHost<Facts>('setuid-member.mjs', [kind, program], { wrap: asNobodyElse });
    expect(facts.waited).toBe(false);
    expect(facts.proof).toBe('pending');
    expect(facts.members).toContain(facts.pid);
    // It ends by itself, and then the range is empty.
    expect(facts.after).toEqual({ waited: true, proof: kind === 'group' ? 'observed' : 'proven' });
    await waitUntil('its end', () => !alive(facts.pid) || state(facts.pid) === 'gone');
  });

  it.runIf(honoured && usableOwners.includes('subreaper'))('is given up with OWNER_LOST when the warden is killed and the supervisor, having answered, is stopped', async () => {
    const { pid, ...answer } = await askHost<{ pid: number; waited: unknown; proof: string }>('setuid-member-lost.mjs', [program], { wrap: asNobodyElse });
    process.kill(pid, 'SIGKILL');
    expect(answer).toEqual({ waited: 'OWNER_LOST', proof: 'observed' });
    await waitUntil('its end', () => !alive(pid) || state(pid) === 'gone');
  });

  it.runIf(honoured && usableOwners.includes('cgroup'))('is ended by the owner cgroup, in a subtree that was delegated to that user', async () => {
    const group = join(unifiedMount(), `holdfast-test-${process.pid}`);
    const delegated = ['/bin/sh', '-c', `mkdir "$0" && chown ${nobodyElse} "$0" "$0"/cgroup.procs "$0"/cgroup.subtree_control "$0"/cgroup.threads && echo $$ > "$0"/cgroup.procs && exec "$@"`, group];
    try {
      const facts = await askHost<Facts>('setuid-member.mjs', ['cgroup', program], { wrap: [...delegated, ...asNobodyElse] });
      expect(facts).toMatchObject({ waited: true, proof: 'proven', members: [], after: { waited: true, proof: 'proven' } });
      expect(alive(facts.pid)).toBe(false);
    } finally {
      await waitUntil('the group is empty and can be removed', () => {
        try {
          rmdirSync(group);
          return true;
        } catch (error) {
          return (error as NodeJS.ErrnoException).code === 'ENOENT';
        }
      });
    }
  });
});
