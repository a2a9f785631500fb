import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { dummy } from '../support/paths.ts';
import { alive, state } from '../support/proc.ts';
import { line, pidLines, rejection, spawnCollecting } from '../support/run.ts';
import { timed, waitUntil, within } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();
const spawn = (argv: readonly string[], more = {}) => spawnCollecting(runtime, argv, fence.directory, more);

describe('terminate', () => {
  it('sends SIGTERM at once, returns undefined and does not wait (154, 167)', async () => {
    const handle = spawn(dummy('sleep', 30_000), { graceMs: 20_000 });
    expect(handle.pid).toBeGreaterThan(0);
    expect(handle.terminate()).toBeUndefined();
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: null, signal: 'SIGTERM' });
    expect(await handle.waitForExit()).toBe(true);
  });

  it('lets a command end in its own way within the grace, and keeps its exit code (156)', async () => {
    const handle = spawn(dummy('trap-term', 17), { graceMs: 20_000 });
    await line(handle);
    handle.terminate();
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: 17, signal: null });
    expect(handle.collected.stdout.readFrom(0).text).toBe('ready\nhandled\n');
  });

  it('kills after the grace what ignores SIGTERM, and not before (154, 155)', async () => {
    const handle = spawn(dummy('ignore-term'), { graceMs: 400 });
    await line(handle);
    const [ms, outcome] = await timed(() => {
      handle.terminate();
      return within(30_000, 'done', handle.done);
    });
    expect(outcome).toEqual({ exitCode: null, signal: 'SIGKILL' });
    expect(ms).toBeGreaterThan(390);
  });

  it('reaches children and grandchildren (157)', async () => {
    const handle = spawn(dummy('tree', 3, 2));
    const pids = await pidLines(handle, 2 + 4 + 8);
    expect(pids.every(alive)).toBe(true);
    handle.terminate();
    expect(await within(30_000, 'emptiness', handle.waitForExit())).toBe(true);
    expect(pids.filter(alive)).toEqual([]);
    await handle.done;
  });

  it('continues stopped members, so that their handlers run, and ends them (158)', async () => {
    const handle = spawn(dummy('stop', 21), { graceMs: 10_000 });
    await line(handle);
    await waitUntil('the command has stopped', () => state(handle.pid) === 'T');
    handle.terminate();
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: 21, signal: null });
  });

  it('kills a descendant that ignores SIGTERM although done has settled long ago (162)', async () => {
    const handle = spawn(dummy('daemon', 'close', 'deaf', 0), { graceMs: 300 });
    const daemon = Number(await line(handle));
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
    expect(alive(daemon)).toBe(true);
    const [ms] = await timed(() => {
      handle.terminate();
      return within(30_000, 'emptiness', handle.waitForExit());
    });
    expect(alive(daemon)).toBe(false);
    expect(ms).toBeGreaterThan(290);
  });

  it('is idempotent: more calls neither start the grace again nor do harm (159)', async () => {
    const handle = spawn(dummy('ignore-term'), { graceMs: 500 });
    await line(handle);
    const again = setInterval(() => { handle.terminate(); }, 50);
    handle.terminate();
    // A grace that started again each time would never be over.
    const outcome = await within(30_000, 'done', handle.done);
    clearInterval(again);
    expect(outcome.signal).toBe('SIGKILL');
    await handle.waitForExit();
    handle.terminate();
  });

  it('of an empty range does nothing (163, 164)', async () => {
    const handle = spawn(dummy('exit', 5));
    await handle.done;
    await handle.waitForExit();
    handle.terminate();
    handle.terminate();
    expect(await handle.done).toEqual({ exitCode: 5, signal: null });
    expect(handle.report().strays).toEqual({ count: 0, listed: [] });
  });

  it('right after spawn, before the launch is known, ends the command just the same', async () => {
    for (let i = 0; i < 20; i++) {
      const handle = spawn(dummy('sleep', 30_000));
      handle.terminate();
      expect(await within(30_000, 'done', handle.done)).toMatchObject({ exitCode: null });
      expect(await within(30_000, 'emptiness', handle.waitForExit())).toBe(true);
    }
  });

  it('of a launch that fails is harmless, and the launch error is what done tells (149, 161)', async () => {
    const handle = spawn(['/no/such/program']);
    handle.terminate();
    expect(await rejection(handle.done)).toMatchObject({ code: 'ENOENT' });
    handle.terminate();
    expect(await handle.waitForExit()).toBe(true);
  });

  it('of fifty commands at once takes about one grace (193)', async () => {
    const handles = Array.from({ length: 50 }, () => spawn(dummy('ignore-term'), { graceMs: 1000 }));
    await Promise.all(handles.map((handle) => line(handle)));
    const [ms] = await timed(() => {
      for (const handle of handles) handle.terminate();
      return within(30_000, 'all of them', Promise.all(handles.map((handle) => handle.waitForExit())));
    });
    // One after the other they would take fifty.
    expect(ms).toBeGreaterThan(990);
  });
});

describe('the abort signal', () => {
  it('does what terminate does, and says nothing about why (160)', async () => {
    const controller = new AbortController();
    const handle = spawn(dummy('trap-term', 9), { graceMs: 20_000, signal: controller.signal });
    await line(handle);
    controller.abort(new Error('mine'));
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: 9, signal: null });
    expect(await handle.waitForExit()).toBe(true);
  });

  it('after the end changes nothing, and has no listener of ours left (160)', async () => {
    const controller = new AbortController();
    const handle = spawn(dummy('exit', 0), { signal: controller.signal });
    await handle.done;
    await handle.waitForExit();
    await waitUntil('the listener is removed', () => getEventListeners(controller.signal, 'abort').length === 0);
    controller.abort();
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
  });

  it('has no listener of ours left after a launch that failed', async () => {
    const controller = new AbortController();
    const handle = spawn(['/no/such/program'], { signal: controller.signal });
    await rejection(handle.done);
    await waitUntil('the listener is removed', () => getEventListeners(controller.signal, 'abort').length === 0);
  });

  it('ends a survivor after the command itself has ended', async () => {
    const controller = new AbortController();
    const handle = spawn(dummy('daemon', 'close', 'plain', 0), { signal: controller.signal });
    await handle.done;
    const daemon = Number(handle.collected.stdout.readFrom(0).text);
    expect(alive(daemon)).toBe(true);
    controller.abort();
    expect(await within(30_000, 'emptiness', handle.waitForExit())).toBe(true);
    expect(alive(daemon)).toBe(false);
  });

  it('racing a launch that fails lets the launch error win (161)', async () => {
    const controller = new AbortController();
    const handle = spawn(['/no/such/program'], { signal: controller.signal });
    controller.abort();
    expect(await rejection(handle.done)).toMatchObject({ code: 'ENOENT' });
  });

  it('shared by many commands ends them all, with no warning about listeners', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => { warnings.push(warning); };
    process.on('warning', note);
    const controller = new AbortController();
    const handles = Array.from({ length: 30 }, () => spawn(dummy('sleep', 30_000), { signal: controller.signal }));
    controller.abort();
    for (const handle of handles) expect(await within(30_000, 'done', handle.done)).toMatchObject({ exitCode: null });
    await Promise.all(handles.map((handle) => handle.waitForExit()));
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });
});
