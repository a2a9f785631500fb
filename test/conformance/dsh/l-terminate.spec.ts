import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compose, start, type Composition } from '../../support/dsh.ts';
import { leakFence } from '../../support/fence.ts';
import { askHost } from '../../support/host.ts';
import { dummy } from '../../support/paths.ts';
import { alive, state } from '../../support/proc.ts';
import { line, pidLines } from '../../support/run.ts';
import { timed, waitUntil, within } from '../../support/until.ts';

leakFence();
let host: Composition;
beforeAll(async () => { host = await compose(); });
afterAll(() => host.dispose());

describe('L. terminate and the abort signal', () => {
  it('154, 167: SIGTERM at once; it returns undefined and does not wait', async () => {
    const handle = start(host.subprocess, dummy('sleep', 30_000), { graceMs: 20_000 });
    expect(handle.terminate()).toBeUndefined();
    expect(await within(30_000, 'done', handle.done)).toMatchObject({ exitCode: null });
    expect(await handle.waitForExit()).toBe(true);
  });

  it('155: a command that ignores SIGTERM is killed after the grace', async () => {
    const handle = start(host.subprocess, dummy('ignore-term'), { graceMs: 300 });
    await line(handle);
    const [ms, outcome] = await timed(() => {
      handle.terminate();
      return within(30_000, 'done', handle.done);
    });
    expect(outcome).toEqual({ exitCode: null, signal: 'SIGKILL' });
    expect(ms).toBeGreaterThan(290);
    await handle.waitForExit();
  });

  it('156: one that ends in its own way keeps its exit code', async () => {
    const handle = start(host.subprocess, dummy('trap-term', 17), { graceMs: 20_000 });
    await line(handle);
    handle.terminate();
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: 17, signal: null });
    await handle.waitForExit();
  });

  it('157, 169: children and grandchildren end, and a daemon in a session of its own', async () => {
    const tree = start(host.subprocess, dummy('tree', 3, 2));
    const daemon = start(host.subprocess, dummy('daemon', 'close', 'plain', 0));
    const pids = [...await pidLines(tree, 14), Number(await line(daemon))];
    expect(pids.every(alive)).toBe(true);
    tree.terminate();
    daemon.terminate();
    await within(30_000, 'emptiness', Promise.all([tree.waitForExit(), daemon.waitForExit()]));
    expect(pids.filter(alive)).toEqual([]);
  });

  it('158: stopped members end', async () => {
    const handle = start(host.subprocess, dummy('stop', 21), { graceMs: 10_000 });
    await line(handle);
    await waitUntil('the command has stopped', () => state(handle.pid) === 'T');
    handle.terminate();
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: 21, signal: null });
    await handle.waitForExit();
  });

  it('159: it is idempotent: later calls do not start the grace again', async () => {
    const handle = start(host.subprocess, dummy('ignore-term'), { graceMs: 400 });
    await line(handle);
    const again = setInterval(() => { handle.terminate(); }, 50);
    await within(30_000, 'done', handle.done); // a grace that started again each time would never be over
    clearInterval(again);
    await handle.waitForExit();
    handle.terminate();
  });

  it('160: an abort is the same; after the exit it changes nothing, and the listener is gone', async () => {
    const controller = new AbortController();
    const handle = start(host.subprocess, dummy('trap-term', 9), { graceMs: 20_000, signal: controller.signal });
    await line(handle);
    controller.abort();
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: 9, signal: null });
    await handle.waitForExit();
    const later = new AbortController();
    const short = start(host.subprocess, ['true'], { signal: later.signal });
    await short.done;
    await short.waitForExit();
    await waitUntil('no listener', () => getEventListeners(later.signal, 'abort').length === 0);
    later.abort();
    expect(await short.done).toEqual({ exitCode: 0, signal: null });
  });

  it('162: a deaf descendant is killed although done has settled', async () => {
    const handle = start(host.subprocess, dummy('daemon', 'close', 'deaf', 0), { graceMs: 300 });
    const daemon = Number(await line(handle));
    await handle.done;
    handle.terminate();
    await within(30_000, 'emptiness', handle.waitForExit());
    expect(alive(daemon)).toBe(false);
  });

  it('163, 164: of an empty range it does nothing, also while pipes still drain', async () => {
    const handle = start(host.subprocess, dummy('exit', 5));
    await handle.done;
    await handle.waitForExit();
    handle.terminate();
    handle.terminate();
    expect(await handle.done).toEqual({ exitCode: 5, signal: null });
    expect(handle.report().strays).toEqual({ count: 0, listed: [] });
  });

  it('165: a range of zombies only is over', async () => {
    const handle = start(host.subprocess, ['/bin/sh', '-c', 'sh -c "exit 0" & exec sh -c "exit 3"']);
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: 3, signal: null });
    expect(await within(30_000, 'emptiness', handle.waitForExit())).toBe(true);
  });

  it('166: it never throws, before the launch, after a failed one and after the end', async () => {
    for (const argv of [['true'], ['/no/such']]) {
      const handle = start(host.subprocess, argv);
      expect(() => { handle.terminate(); }).not.toThrow();
      await handle.done.catch(() => {});
      await handle.waitForExit();
      expect(() => { handle.terminate(); }).not.toThrow();
    }
  });

  it('168, 183: a range that is waited for keeps the host\'s event loop alive', async () => {
    expect(await askHost('loop-alive.mjs', [], { env: { HOLDFAST_TEST_PROVIDER: 'dsh' } })).toEqual({ done: true, waited: true });
  });
});
