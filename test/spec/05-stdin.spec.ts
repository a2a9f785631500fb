import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { dummy } from '../support/paths.ts';
import { pattern } from '../support/pattern.ts';
import { factsArgv, parseFacts } from '../support/run.ts';
import { within } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();
const collect = { maxBytes: 16 << 20 };

function withStdin<const Stdin extends 'ignore' | 'pipe' | { data: string }>(argv: readonly string[], stdin: Stdin) {
  return runtime.spawn({ argv, cwd: fence.directory, graceMs: 5000, stdio: { stdin, stdout: collect, stderr: collect } });
}

describe("stdin 'ignore'", () => {
  it('is the null device: a character device that gives end of file (80, 82)', async () => {
    const handle = withStdin(factsArgv, 'ignore');
    expect(handle.stdin).toBeUndefined();
    await handle.done;
    expect(parseFacts(handle.collected.stdout.readFrom(0).text).fds['0']?.type).toBe('char');
    const cat = withStdin(dummy('cat'), 'ignore');
    expect(await cat.done).toEqual({ exitCode: 0, signal: null });
    expect(cat.collected.stdout.readFrom(0)).toMatchObject({ text: '', nextOffset: 0 });
  });
});

describe('stdin { data }', () => {
  it('arrives as UTF-8 and then ends (81, 82)', async () => {
    const handle = withStdin(dummy('cat'), { data: 'grüße\0世界🎣\n' });
    expect(handle.stdin).toBeUndefined();
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
    expect(handle.collected.stdout.readFrom(0).text).toBe('grüße\0世界🎣\n');
  });

  it('ends at once when it is empty, and is no character device (81, 83)', async () => {
    const cat = withStdin(dummy('cat'), { data: '' });
    expect(await cat.done).toEqual({ exitCode: 0, signal: null });
    const facts = withStdin(factsArgv, { data: '' });
    await facts.done;
    expect(parseFacts(facts.collected.stdout.readFrom(0).text).fds['0']).toMatchObject({ nonblocking: false });
    expect(parseFacts(facts.collected.stdout.readFrom(0).text).fds['0']?.type).not.toBe('char');
  });

  it('of eight megabytes makes the round trip while output is collected, without a dead lock (85)', async () => {
    const data = pattern(0, 8 << 20);
    const handle = withStdin(dummy('cat'), { data });
    expect(await within(30_000, 'the round trip', handle.done)).toEqual({ exitCode: 0, signal: null });
    expect(handle.collected.stdout.readFrom(0).text === data).toBe(true);
  });

  it('that nobody reads is no error (84)', async () => {
    const handle = withStdin(dummy('exit', 7), { data: 'x'.repeat(1 << 20) });
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: 7, signal: null });
    expect(handle.report().drain).toBe('eof');
  });

  it('that is read in part by a command which then exits is no error (84)', async () => {
    const handle = withStdin(['/usr/bin/head', '-c', '5'], { data: '12345' + 'x'.repeat(1 << 20) });
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: 0, signal: null });
    expect(handle.collected.stdout.readFrom(0).text).toBe('12345');
  });

  it('that a running command does not read does not hold up its termination', async () => {
    const handle = withStdin(dummy('sleep', 30_000), { data: 'x'.repeat(4 << 20) });
    expect(handle.pid).toBeGreaterThan(0);
    handle.terminate();
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: null, signal: 'SIGTERM' });
  });
});

describe("stdin 'pipe'", () => {
  it('is a Writable whose writes arrive and whose end is end of file (86)', async () => {
    const handle = withStdin(dummy('cat'), 'pipe');
    handle.stdin.write('one ');
    handle.stdin.write(Buffer.from('two '));
    handle.stdin.end('three');
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
    expect(handle.collected.stdout.readFrom(0).text).toBe('one two three');
  });

  it('talks to a running command, answer by answer', async () => {
    const handle = withStdin(dummy('cat'), 'pipe');
    const { stdout } = handle.collected;
    let offset = 0;
    for (const word of ['a\n', 'b\n', 'c\n']) {
      handle.stdin.write(word);
      expect(await within(30_000, 'an answer', stdout.changed(offset))).toBe(true);
      const read = stdout.readFrom(offset);
      expect(read.text).toBe(word);
      offset = read.nextOffset;
    }
    handle.stdin.end();
    await handle.done;
  });

  it('holds the writer back while the command does not read (89)', async () => {
    const handle = withStdin(dummy('sleep', 30_000), 'pipe');
    const block = Buffer.alloc(1 << 20);
    expect([handle.stdin.write(block), handle.stdin.write(block)]).toEqual([false, false]);
    handle.stdin.on('error', () => {});
    handle.terminate();
    await handle.done;
  });

  it('of a reading command drains', async () => {
    const handle = withStdin(dummy('cat'), 'pipe');
    handle.stdin.write(Buffer.alloc(2 << 20, 'x'));
    await within(30_000, 'drain', once(handle.stdin, 'drain'));
    handle.stdin.end();
    await handle.done;
    expect(handle.collected.stdout.readFrom(0).nextOffset).toBe(2 << 20);
  });

  it('gives EPIPE to its writer when the command has closed it (87)', async () => {
    const handle = withStdin(dummy('close', 30_000, 0), 'pipe');
    const failed = once(handle.stdin, 'error');
    const feed = setInterval(() => { handle.stdin.write('x'); }, 5);
    const [error] = await within(30_000, 'an error', failed);
    clearInterval(feed);
    expect(error).toMatchObject({ code: 'EPIPE' });
    handle.terminate();
    await handle.done;
  });

  it('is destroyed when the command has ended; late writes fail without an uncaught error (88)', async () => {
    const handle = withStdin(dummy('exit', 0), 'pipe');
    await handle.done;
    expect(handle.stdin.destroyed).toBe(true);
    const error = await new Promise((resolve) => { handle.stdin.write('late', resolve); });
    expect(error).toMatchObject({ code: 'ERR_STREAM_DESTROYED' });
  });
});
