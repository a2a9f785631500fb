import { once } from 'node:events';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compose, type Composition } from '../../support/dsh.ts';
import { leakFence } from '../../support/fence.ts';
import { dummy } from '../../support/paths.ts';
import { factsArgv, parseFacts } from '../../support/run.ts';
import { within } from '../../support/until.ts';

leakFence();
let host: Composition;
beforeAll(async () => { host = await compose(); });
afterAll(() => host.dispose());

const output = { maxBytes: 16 << 20 };
const withStdin = <const In extends 'ignore' | 'pipe' | { data: string }>(stdin: In, argv: readonly string[]) =>
  host.subprocess.spawn({ argv, cwd: '/', graceMs: 3000, stdio: { stdin, stdout: output, stderr: output } });

async function outputOf(stdin: 'ignore' | { data: string }, argv: readonly string[]): Promise<string> {
  const handle = withStdin(stdin, argv);
  await within(30_000, 'done', handle.done);
  await handle.waitForExit();
  return handle.collected.stdout.readFrom(0).text;
}

describe('G. stdin', () => {
  it('80: ignore is the null device', async () => {
    expect(parseFacts(await outputOf('ignore', factsArgv)).fds['0']?.type).toBe('char');
    expect(await outputOf('ignore', ['cat'])).toBe('');
  });

  it('81, 83: data arrives as UTF-8, then the end; and is no character device', async () => {
    expect(await outputOf({ data: 'ünï ✓\n' }, ['cat'])).toBe('ünï ✓\n');
    expect(await outputOf({ data: '' }, ['cat'])).toBe('');
    expect(parseFacts(await outputOf({ data: 'x' }, factsArgv)).fds['0']?.type).not.toBe('char');
  });

  it('82: with data or ignore there is no stdin on the handle', async () => {
    for (const stdin of ['ignore', { data: '' }] as const) {
      const handle = withStdin(stdin, ['true']);
      expect(handle.stdin).toBeUndefined();
      await handle.done;
      await handle.waitForExit();
    }
  });

  it('84: a child that never reads its data is no failure', async () => {
    const handle = withStdin({ data: 'x'.repeat(1 << 20) }, dummy('exit', 7));
    expect(await handle.done).toEqual({ exitCode: 7, signal: null });
    await handle.waitForExit();
  });

  it('85: several megabytes go through cat without a dead lock', async () => {
    const data = 'sixteen bytes  \n'.repeat(300_000);
    expect(await outputOf({ data }, ['cat']) === data).toBe(true);
  });

  it('86: pipe is a Writable; end() is the end of file', async () => {
    const handle = withStdin('pipe', ['cat']);
    expect(handle.stdin).toBeInstanceOf(Writable);
    handle.stdin.write('one ');
    handle.stdin.end('two');
    await handle.done;
    expect(handle.collected.stdout.readFrom(0).text).toBe('one two');
    await handle.waitForExit();
  });

  it('87: an EPIPE is the caller\'s, as an error event', async () => {
    const handle = withStdin('pipe', ['/bin/sh', '-c', 'exec <&-; echo closed; sleep 30']);
    await handle.collected.stdout.changed(0);
    const failed = once(handle.stdin, 'error');
    handle.stdin.write('x');
    expect((await within(30_000, 'the error', failed))[0]).toMatchObject({ code: 'EPIPE' });
    handle.terminate();
    await handle.waitForExit();
  });

  it('88: after the exit it is destroyed, and a late write fails in its callback only', async () => {
    const handle = withStdin('pipe', ['true']);
    await handle.done;
    expect([handle.stdin.destroyed, handle.stdin.writable]).toEqual([true, false]);
    const error = await new Promise((resolve) => { handle.stdin.write('x', resolve); });
    expect(error).toMatchObject({ code: 'ERR_STREAM_DESTROYED' });
    await handle.waitForExit();
  });

  it('89: a child that does not read makes write() say so, and drain comes when it does', async () => {
    const handle = withStdin('pipe', ['/bin/sh', '-c', 'echo up; read -r go </proc/self/fd/0; cat >/dev/null']);
    await handle.collected.stdout.changed(0);
    expect(handle.stdin.write(`go\n${'x'.repeat(1 << 20)}`)).toBe(false);
    await within(30_000, 'drain', once(handle.stdin, 'drain'));
    handle.stdin.end();
    await handle.done;
    await handle.waitForExit();
  });
});
