import { getEventListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { dummy } from '../support/paths.ts';
import { rejection, spawnCollecting } from '../support/run.ts';
import { within } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();
const spawn = (argv: readonly string[]) => spawnCollecting(runtime, argv, fence.directory);
/** A command whose output the test decides on. */
const spawnCat = () => runtime.spawn({ argv: dummy('cat'), cwd: '/', graceMs: 5000, stdio: { stdin: 'pipe', stdout: { maxBytes: 1000 }, stderr: { maxBytes: 1000 } } });

describe('reader.changed', () => {
  it('answers true at once when there is something to read already', async () => {
    const handle = spawn(dummy('trap-term', 0));
    const { stdout } = handle.collected;
    expect(await within(30_000, 'the first output', stdout.changed(0))).toBe(true);
    expect(await within(30_000, 'the answer', stdout.changed(0))).toBe(true);
    handle.terminate();
    await handle.done;
  });

  it('waits for output, and answers when it comes', async () => {
    const handle = spawnCat();
    const { stdout } = handle.collected;
    handle.stdin.write('a');
    await stdout.changed(0);
    expect(stdout.readFrom(0).nextOffset).toBe(1);
    let answered = false;
    const waiting = stdout.changed(1).finally(() => { answered = true; });
    await delay(50);
    expect(answered).toBe(false);
    handle.stdin.end('b');
    expect(await within(30_000, 'the answer', waiting)).toBe(true);
    expect(stdout.readFrom(1)).toMatchObject({ text: 'b', nextOffset: 2 });
    await handle.done;
  });

  it('answers false when the stream has ended and nothing lies beyond, before and after the end', async () => {
    const handle = spawn(dummy('hex', 1, 200, '61', '-'));
    const { stdout, stderr } = handle.collected;
    const waiting = [stdout.changed(1), stdout.changed(99), stderr.changed(0)];
    expect(await within(30_000, 'answers', Promise.all(waiting))).toEqual([false, false, false]);
    expect(await stdout.changed(0)).toBe(true);
    expect(await stdout.changed(1)).toBe(false);
    await handle.done;
    expect(await stdout.changed(1)).toBe(false);
  });

  it('answers for an offset ahead of the stream only when the stream has passed it', async () => {
    const handle = spawn(dummy('write', 1, 100, 10, 20));
    const { stdout } = handle.collected;
    expect(await stdout.changed(75)).toBe(true);
    expect(stdout.readFrom(75).text.length).toBeGreaterThan(0);
    expect(await stdout.changed(100)).toBe(false);
    await handle.done;
  });

  it('answers each of many waiters with its own offset', async () => {
    const handle = spawn(dummy('write', 1, 100, 5, 10));
    const { stdout } = handle.collected;
    const answers = Array.from({ length: 100 }, (_, i) => stdout.changed(99 - i).then((answer) => [answer, stdout.readFrom(99 - i).nextOffset > 99 - i]));
    for (const answer of await within(30_000, 'all answers', Promise.all(answers))) expect(answer).toEqual([true, true]);
    await handle.done;
  });

  it('rejects with the very reason of its signal, before and while it waits, and keeps no listener', async () => {
    const handle = spawn(dummy('sleep', 30_000));
    const { stdout } = handle.collected;
    const reason = { why: 'mine' };
    expect(await rejection(stdout.changed(0, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    const controller = new AbortController();
    const waiting = rejection(stdout.changed(0, { signal: controller.signal }));
    controller.abort(reason);
    expect(await waiting).toBe(reason);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    handle.terminate();
    await handle.done;
  });

  it('keeps no listener on a signal that never came', async () => {
    const handle = spawn(dummy('lines', 1));
    const controller = new AbortController();
    expect(await handle.collected.stdout.changed(0, { signal: controller.signal })).toBe(true);
    expect(await handle.collected.stdout.changed(15, { signal: controller.signal })).toBe(false);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    await handle.done;
  });

  it('does not spin while a writer pauses in the middle of a character', async () => {
    const handle = spawnCat();
    const { stdout } = handle.collected;
    handle.stdin.write(Buffer.from('61c3', 'hex'));
    await stdout.changed(1, { bytes: true });
    const waiting = stdout.changed(1);
    const before = process.cpuUsage();
    await delay(1000);
    const used = process.cpuUsage(before);
    expect((used.user + used.system) / 1000).toBeLessThan(500);
    handle.stdin.end(Buffer.from('a9', 'hex'));
    expect(await within(30_000, 'the answer', waiting)).toBe(true);
    expect(stdout.readFrom(1).text).toBe('é');
    await handle.done;
  });

  it('answers true when the end of the stream completes what was held back', async () => {
    const handle = spawn(dummy('hex', 1, 300, '61c3', '-'));
    const { stdout } = handle.collected;
    expect(await stdout.changed(1)).toBe(true);
    expect(stdout.readFrom(1)).toEqual({ text: '\ufffd', nextOffset: 2, lossy: false });
    expect(await stdout.changed(2)).toBe(false);
    await handle.done;
  });

  it('answers false after a launch that failed', async () => {
    const handle = spawn(['/no/such/program']);
    expect(await within(30_000, 'an answer', handle.collected.stdout.changed(0))).toBe(false);
    await rejection(handle.done);
  });
});
