// Ways in which a member leaves its parent, its group and its session; the same list for each owner.
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { heldBy, proves, usableOwners } from '../support/owners.ts';
import { dummy } from '../support/paths.ts';
import { alive, end, stat } from '../support/proc.ts';
import { line, pidLines } from '../support/run.ts';
import { waitUntil, within } from '../support/until.ts';

const fence = leakFence();
const sh = (script: string): string[] => ['/bin/sh', '-c', script];

/** What is run, and how many members it names, a line each. */
const leaving: [string, string[], number][] = [
  ['a job in a session of its own', sh('setsid sleep 30 & echo $!; wait'), 1],
  ['a job in a session of its own, whose parent has ended', sh("setsid sh -c 'sleep 30 & echo $!' & sleep 30"), 1],
  ['a daemon, forked twice, that holds the pipes', dummy('daemon', 'hold', 'plain', 0), 1],
  ['a daemon, forked twice, that ignores TERM', dummy('daemon', 'close', 'deaf', 0), 1],
  ['a daemon without one open descriptor', dummy('bare-daemon'), 1],
  ['jobs that outlive their shell by nohup', sh('nohup sleep 30 >/dev/null 2>&1 & echo $!; nohup sleep 30 >/dev/null 2>&1 & echo $!'), 2],
  ['jobs of a shell with job control, each in a group of its own', ['/bin/bash', '-c', 'set -m; sleep 30 & echo $!; (sleep 30 & echo $!; wait) & wait'], 2],
  ['a tree', dummy('tree', 3, 2), 14],
];

describe.each(usableOwners)('the owner %s', (kind) => {
  const { spawn, ends } = heldBy(kind, fence);

  it.each(leaving)('holds and ends %s (169)', async (_, argv, count) => {
    const handle = spawn(argv);
    const pids = await pidLines(handle, count);
    expect(await handle.waitForExit(AbortSignal.timeout(50))).toBe(false);
    expect((await handle.inspect()).members.map((one) => one.pid)).toEqual(expect.arrayContaining(pids));
    await ends(handle, pids);
    const { strays } = handle.report();
    expect(strays.listed.map((one) => one.pid)).toEqual(expect.arrayContaining(pids));
    for (const one of strays.listed) expect(one).toMatchObject({ argv0: expect.stringMatching(/\w/), endedBy: expect.stringMatching(/^(TERM|KILL)$/) });
  });

  it('waits for a daemon that its command has left behind, and says what ended it (169, 286)', async () => {
    const handle = spawn(dummy('daemon', 'close', 'deaf', 0));
    await handle.done;
    const daemon = Number(await line(handle));
    expect(stat(daemon)?.session).not.toBe(handle.pid);
    expect(await handle.waitForExit(AbortSignal.timeout(200))).toBe(false);
    expect(handle.report().proof).toBe('pending');
    await ends(handle, [daemon]);
    expect(handle.report().strays).toMatchObject({ count: 1, listed: [{ pid: daemon, endedBy: 'KILL' }] });
  });

  it('is empty when a daemon ends by itself', async () => {
    const handle = spawn(dummy('daemon', 'close', 'plain', 0));
    await handle.done;
    expect(await handle.waitForExit(AbortSignal.timeout(50))).toBe(false);
    end(Number(await line(handle)));
    expect(await within(30_000, 'emptiness', handle.waitForExit())).toBe(true);
    expect(handle.report()).toMatchObject({ proof: proves(kind) ? 'proven' : 'observed', strays: { count: 0 } });
  });

  it('holds a daemon that has cleared its environment, as long as somebody of the range was seen to be its parent', async () => {
    const handle = spawn(sh('env -i /usr/bin/setsid /bin/sleep 30 & echo $!; wait'));
    const pids = await pidLines(handle, 1);
    await waitUntil('the job has its own session', () => stat(pids[0] as number)?.session === pids[0] || undefined);
    await ends(handle, pids);
  });

  if (!proves(kind)) {
    it('may miss a daemon that has cleared its environment too and whose parents are gone: it claims no proof', async () => {
      const handle = spawn(sh("exec 3>&1; env -i /usr/bin/setsid /bin/sh -c '/bin/sleep 30 >/dev/null 2>&1 & echo $!'; exec sleep 30"));
      const [daemon] = (await pidLines(handle, 1)) as [number];
      handle.terminate();
      expect(await within(30_000, 'emptiness', handle.waitForExit())).toBe(true);
      expect(handle.report().proof).toBe('observed');
      // Missed, unless it was looked at in the moment in which its parent lived.
      if (alive(daemon)) end(daemon, 'SIGKILL');
      await waitUntil('its end', () => !alive(daemon));
    });
  }
});
