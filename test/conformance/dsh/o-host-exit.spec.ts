import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../../support/fence.ts';
import { startHost, type HostResult } from '../../support/host.ts';
import { root } from '../../support/paths.ts';
import { alive } from '../../support/proc.ts';
import { waitUntil, within } from '../../support/until.ts';

leakFence();

const env = { HOLDFAST_TEST_PROVIDER: 'dsh' };

/** Lets a composition that owns a tree, a deaf command and a deaf daemon end in one way, and waits until all of it is gone. */
async function endHost(way: string, from?: NodeJS.Signals, script = 'owner.mjs'): Promise<HostResult> {
  const host = startHost(script, [way], { env });
  const { pids } = await host.next<{ pids: number[] }>();
  if (from !== undefined) host.child.kill(from);
  const result = await host.result;
  await waitUntil(`everything of a host that ended by ${way}`, () => !pids.some(alive));
  return result;
}

describe('O. the end of the host', () => {
  it('195, 199: at process.exit(23) everything ends at once, without a grace, and the code stays', async () => {
    expect(await endHost('exit')).toMatchObject({ code: 23, stderr: '' });
  });

  it('196: at an uncaught exception too; Node\'s message and code stay', async () => {
    const { code, stderr } = await endHost('throw');
    expect([code, stderr.includes('Error: this is the host')]).toEqual([1, true]);
  });

  it('197: at an unhandled rejection too', async () => {
    const { code, stderr } = await endHost('reject');
    expect([code, stderr.includes('Error: this is the host')]).toEqual([1, true]);
  });

  it.each([['exit', 23], ['throw', 1], ['reject', 1]] as const)('198: the same for a terminal, by %s', async (way, code) => {
    expect((await endHost(way, undefined, 'dsh-terminal-owner.mjs')).code).toBe(code);
  });

  it('201: after an explicit disposal nothing is left to end', async () => {
    expect(await endHost('dispose')).toMatchObject({ code: 7, stderr: '' });
  });

  it.each(['SIGTERM', 'SIGKILL', 'SIGHUP'] as const)('202: at %s, which no handler sees', async (signal) => {
    expect((await endHost('wait', signal)).signal).toBe(signal);
  });

  it('203: the end of a worker ends what its composition owns', async () => {
    const worker = new Worker(`${root}test/fixtures/hosts/worker.mjs`, { workerData: { mode: 'exit' }, env: { ...process.env, ...env } });
    const [{ pid }] = (await within(30_000, 'the worker', once(worker, 'message'))) as [{ pid: number }];
    expect(pid).toBeGreaterThan(0);
    await waitUntil('its command is gone', () => !alive(pid));
  });
});
