import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { askHost } from '../support/host.ts';
import { dummy } from '../support/paths.ts';
import { alive, end } from '../support/proc.ts';
import { rejection, spawnCollecting } from '../support/run.ts';
import { within } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();
const spawn = (argv: readonly string[], more = {}) => spawnCollecting(runtime, argv, fence.directory, more);

describe('waitForExit', () => {
  it('is true when nothing is left, without terminate and without done (180, 181)', async () => {
    const handle = spawn(dummy('exit', 0));
    expect(await within(30_000, 'emptiness', handle.waitForExit())).toBe(true);
    await handle.done;
  });

  it('waits for a survivor of the command, which done does not (171)', async () => {
    const handle = spawn(dummy('holder', '', 0), { graceMs: 100 });
    await handle.done;
    const survivor = Number(handle.collected.stdout.readFrom(0).text);
    expect(alive(survivor)).toBe(true);
    expect(await handle.waitForExit(AbortSignal.timeout(100))).toBe(false);
    end(survivor);
    expect(await within(30_000, 'emptiness', handle.waitForExit())).toBe(true);
    expect(alive(survivor)).toBe(false);
    expect(handle.report().strays.count).toBe(0);
  });

  it('is false when the signal comes first, and takes its listener back (172, 174)', async () => {
    const handle = spawn(dummy('sleep', 30_000));
    const controller = new AbortController();
    const waiting = handle.waitForExit(controller.signal);
    setImmediate(() => { controller.abort(); });
    expect(await within(30_000, 'an answer', waiting)).toBe(false);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    expect(await handle.waitForExit(AbortSignal.abort())).toBe(false);
    handle.terminate();
    expect(await handle.waitForExit()).toBe(true);
    await handle.done;
  });

  it('is true for a range that is empty, also with a signal that is aborted already (172, 173)', async () => {
    const handle = spawn(dummy('exit', 0));
    await handle.done;
    await handle.waitForExit();
    expect(await handle.waitForExit(AbortSignal.abort())).toBe(true);
  });

  it('answers all of many waiters at once, and takes all listeners back (175)', async () => {
    const handle = spawn(dummy('sleep', 300));
    const controllers = Array.from({ length: 100 }, () => new AbortController());
    const answers = await within(30_000, 'answers', Promise.all(controllers.map((one) => handle.waitForExit(one.signal))));
    expect(answers.every((answer) => answer)).toBe(true);
    expect(controllers.flatMap((one) => getEventListeners(one.signal, 'abort'))).toEqual([]);
    await handle.done;
  });

  it('is true at once after a launch that failed (177)', async () => {
    const handle = spawn(['/no/such/program']);
    await rejection(handle.done);
    expect(await handle.waitForExit()).toBe(true);
    expect(await handle.waitForExit(AbortSignal.abort())).toBe(true);
  });

  it('costs no CPU while a range lives on: the kernel wakes it, nobody polls (181, 182)', async () => {
    const handles = Array.from({ length: 20 }, () => spawn(dummy('sleep', 1500)));
    for (const handle of handles) expect(handle.pid).toBeGreaterThan(0);
    const waits = Promise.all(handles.map((handle) => handle.waitForExit()));
    const before = process.cpuUsage();
    await handles[0]?.waitForExit(AbortSignal.timeout(800));
    const used = process.cpuUsage(before);
    expect((used.user + used.system) / 1000).toBeLessThan(400);
    await waits;
  });

  it('keeps the event loop of the host alive while it waits, and lets it end afterwards (168, 183, 194)', async () => {
    const facts = await askHost<{ done: boolean; waited: boolean }>('loop-alive.mjs');
    expect(facts).toEqual({ done: true, waited: true });
  });
});
