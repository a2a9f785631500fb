// What report() and inspect() say under each owner.
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { heldBy, proves, usableOwners } from '../support/owners.ts';
import { dummy } from '../support/paths.ts';
import { stat } from '../support/proc.ts';
import { line, pidLines } from '../support/run.ts';

const fence = leakFence();

describe.each(usableOwners)('under the owner %s', (kind) => {
  const { spawn, ends } = heldBy(kind, fence);

  it('a range has an owner and no proof while it lives, and a proof when it is over', async () => {
    const handle = spawn(dummy('ignore-term'));
    await line(handle);
    expect(handle.report()).toMatchObject({ launch: 'started', pid: handle.pid, owner: kind, proof: 'pending', drain: 'pending', strays: { count: 0, listed: [] }, escaped: { count: 0, listed: [] } });
    await ends(handle);
    expect(handle.report()).toMatchObject({ launch: 'started', owner: kind, proof: proves(kind) ? 'proven' : 'observed', drain: 'eof', strays: { count: 0 }, escaped: { count: 0 } });
  });

  it('a launch that failed is proven to have left nothing', async () => {
    const handle = spawn(['/no/such/program']);
    await expect(handle.done).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await handle.waitForExit()).toBe(true);
    expect(handle.report()).toMatchObject({ launch: 'failed', pid: null, proof: 'proven' });
    expect(await handle.inspect()).toEqual({ members: [] });
  });

  it('strays are counted all, listed up to 32, each with its program and what ended it', async () => {
    const handle = spawn(dummy('tree', 1, 40), { graceMs: 20_000 });
    const pids = await pidLines(handle, 40);
    await ends(handle, pids);
    const { strays } = handle.report();
    expect(strays.count).toBe(40);
    expect(strays.listed).toHaveLength(32);
    expect(new Set(strays.listed.map((one) => one.pid)).size).toBe(32);
    for (const one of strays.listed) expect(one).toEqual({ pid: expect.toSatisfy((pid: number) => pids.includes(pid)), argv0: dummy('tree')[0], endedBy: 'TERM' });
  });

  it('a stray that got TERM and needed KILL is one stray', async () => {
    const handle = spawn(['/bin/sh', '-c', `trap '' TERM; ${dummy('sleep', 30_000).join(' ')} & echo $!; wait; wait`]);
    const pids = await pidLines(handle, 1);
    await ends(handle, pids);
    expect(handle.report().strays).toMatchObject({ count: 1, listed: [{ pid: pids[0], endedBy: 'KILL' }] });
  });

  it('members are listed with their identity, wherever they are', async () => {
    const handle = spawn(dummy('daemon', 'close', 'plain', 0));
    await handle.done;
    const [daemon] = (await pidLines(handle, 1)) as [number];
    const { members } = await handle.inspect();
    expect(members).toHaveLength(1);
    expect(members[0]).toMatchObject({ pid: daemon, startTime: stat(daemon)?.startTime, argv0: dummy('daemon')[0], state: expect.stringMatching(/^[RSD]$/) });
    await ends(handle, [daemon]);
  });

  it('the time of the command is told, and that of the whole range where the owner accounts for it', async () => {
    const handle = spawn(['/bin/sh', '-c', `${dummy('spin', 200).join(' ')}; (${dummy('spin', 200).join(' ')}); exit 3`]);
    expect(await handle.done).toEqual({ exitCode: 3, signal: null });
    await ends(handle);
    const { usage, rangeUsage } = handle.report();
    // A shell has waited for what it ran, so this is in its own account as well.
    expect((usage?.userCpuMs ?? 0) + (usage?.systemCpuMs ?? 0)).toBeGreaterThan(300);
    if (proves(kind)) expect((rangeUsage?.userCpuMs ?? 0) + (rangeUsage?.systemCpuMs ?? 0)).toBeGreaterThan(300);
    else expect(rangeUsage).toBeUndefined();
  });
});
