import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compose, start, type Composition } from '../../support/dsh.ts';
import { leakFence } from '../../support/fence.ts';
import { dummy } from '../../support/paths.ts';
import { alive, end } from '../../support/proc.ts';
import { within } from '../../support/until.ts';

leakFence();
let host: Composition;
beforeAll(async () => { host = await compose(); });
afterAll(() => host.dispose());

describe('M. waitForExit', () => {
  it('171: it is true when the range is empty, not when the command is over', async () => {
    const handle = start(host.subprocess, dummy('holder', '', 0), { graceMs: 100 });
    await handle.done;
    const survivor = Number(handle.collected.stdout.readFrom(0).text);
    expect(alive(survivor)).toBe(true);
    expect(await handle.waitForExit(AbortSignal.timeout(100))).toBe(false);
    end(survivor);
    expect(await within(30_000, 'emptiness', handle.waitForExit())).toBe(true);
    expect(alive(survivor)).toBe(false);
  });

  it('172, 174: false when the signal comes first, or was there before; its listener is taken back', async () => {
    const handle = start(host.subprocess, dummy('sleep', 30_000));
    expect(await handle.waitForExit(AbortSignal.abort())).toBe(false);
    const controller = new AbortController();
    const answer = handle.waitForExit(controller.signal);
    controller.abort();
    expect(await within(30_000, 'an answer', answer)).toBe(false);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    handle.terminate();
    await handle.waitForExit();
  });

  it('173: with an aborted signal an empty range is true, observed before or not', async () => {
    for (let round = 0; round < 5; round++) {
      const handle = start(host.subprocess, ['true']);
      await handle.done;
      expect(await handle.waitForExit(AbortSignal.abort())).toBe(true);
      expect(await handle.waitForExit(AbortSignal.abort())).toBe(true);
    }
  });

  it('175: many waiters get their answer at once', async () => {
    const handle = start(host.subprocess, dummy('sleep', 200));
    const answers = await within(30_000, 'answers', Promise.all(Array.from({ length: 100 }, () => handle.waitForExit())));
    expect(new Set(answers)).toEqual(new Set([true]));
  });

  it('176: an emptiness once seen is remembered', async () => {
    const handle = start(host.subprocess, ['true']);
    await handle.waitForExit();
    for (let i = 0; i < 1000; i++) expect(await handle.waitForExit()).toBe(true);
  });

  it('177: true at once after a failed launch', async () => {
    const handle = start(host.subprocess, ['/no/such']);
    expect(await within(30_000, 'emptiness', handle.waitForExit())).toBe(true);
  });

  it('180, 181: it may be called before done and without terminate, and answers at the end', async () => {
    for (let round = 0; round < 20; round++) {
      const handle = start(host.subprocess, ['true']);
      expect(await within(30_000, 'emptiness', handle.waitForExit())).toBe(true);
      await handle.done;
    }
  });

  it('182: fifty waits cost no CPU while nothing happens', async () => {
    const handles = Array.from({ length: 50 }, () => start(host.subprocess, dummy('sleep', 30_000)));
    for (const handle of handles) expect(handle.pid).toBeGreaterThan(0);
    const waits = handles.map((handle) => handle.waitForExit());
    const before = process.cpuUsage();
    await handles[0]?.waitForExit(AbortSignal.timeout(800));
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(400);
    for (const handle of handles) handle.terminate();
    await Promise.all(waits);
  });
});
