import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { dummy } from '../support/paths.ts';
import { rejection, spawnCollecting } from '../support/run.ts';
import { timed, within } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();
const spawn = (argv: readonly string[]) => spawnCollecting(runtime, argv, fence.directory);

describe('reader.changed', () => {
  it('answers true at once when there is something to read already', async () => {
    const handle = spawn(dummy('trap-term', 0));
    const { stdout } = handle.collected;
    expect(await within(30_000, 'the first output', stdout.changed(0))).toBe(true);
    const [ms, answer] = await timed(() => stdout.changed(0));
    expect(answer).toBe(true);
    expect(ms).toBeLessThan(200);
    handle.terminate();
    await handle.done;
  });

  it('waits for output, and answers when it comes', async () => {
    const handle = spawn(dummy('hex', 1, 400, '61', '62'));
    const { stdout } = handle.collected;
    await stdout.changed(0);
    expect(stdout.readFrom(0).nextOffset).toBe(1);
    const [ms, answer] = await timed(() => stdout.changed(1));
    expect(answer).toBe(true);
    expect(ms).toBeGreaterThan(200);
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
    const handle = spawn(dummy('hex', 1, 1500, '61c3', 'a9'));
    const { stdout } = handle.collected;
    await stdout.changed(1, { bytes: true });
    const before = process.cpuUsage();
    const [ms, answer] = await timed(() => stdout.changed(1));
    const used = process.cpuUsage(before);
    expect(answer).toBe(true);
    expect(ms).toBeGreaterThan(700);
    expect((used.user + used.system) / 1000).toBeLessThan(ms / 5);
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

  it('does not delay the first byte of a slow writer (coalescing is for those who do not wait)', async () => {
    const handle = runtime.spawn({ argv: dummy('cat'), cwd: '/', graceMs: 1000, stdio: { stdin: 'pipe', stdout: { maxBytes: 1000 }, stderr: { maxBytes: 1000 } } });
    const { stdout } = handle.collected;
    const delays: number[] = [];
    for (let i = 0; i < 50; i++) {
      const [ms] = await timed(() => {
        handle.stdin.write('x');
        return stdout.changed(i);
      });
      delays.push(ms);
    }
    delays.sort((a, b) => a - b);
    // The fast ones: a delay that the reactor makes hits every byte, one that a busy machine makes does not.
    expect(delays[5]).toBeLessThan(4);
    handle.stdin.end();
    await handle.done;
  });
});
