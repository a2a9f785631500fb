import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { spawnCollecting } from '../support/run.ts';

const { directory } = leakFence();

describe('handle.lines', () => {
  it('follows a running command from its first line to its end', async () => {
    await using runtime = new LocalSubprocessRuntime();
    const handle = runtime.spawn({
      argv: ['sh', '-c', 'while read -r word; do echo "got $word"; done; printf end'], cwd: directory, graceMs: 2000,
      stdio: { stdin: 'pipe', stdout: { maxBytes: 4096 }, stderr: 'inherit' },
    });
    const seen: string[] = [];
    handle.stdin.write('1\n');
    for await (const line of handle.lines('stdout')) {
      if (line.kind === 'line') seen.push(line.text);
      // The next line is only asked for when this one was seen: the command still runs.
      if (seen.length === 1) handle.stdin.write('2\n');
      if (seen.length === 2) handle.stdin.end();
    }
    expect(seen).toEqual(['got 1', 'got 2', 'end']);
  });

  it('counts every byte of a stream that is larger than the tail, as a line or as a gap', async () => {
    await using runtime = new LocalSubprocessRuntime();
    const handle = runtime.spawn({
      argv: ['seq', '300000'], cwd: directory, graceMs: 2000, stdio: { stdin: 'ignore', stdout: { maxBytes: 2000 }, stderr: 'inherit' },
    });
    await handle.done;
    let at = 0;
    let last = '';
    for await (const line of handle.lines('stdout')) {
      expect(line.fromByte).toBe(at);
      at = line.kind === 'gap' ? line.toByte : at + Buffer.byteLength(line.text) + 1;
      if (line.kind === 'line') last = line.text;
    }
    expect([at, last]).toEqual([handle.report().streams.stdout?.bytes, '300000']);
  });

  it('lets independent followers coexist, and one that breaks off touches nothing', async () => {
    await using runtime = new LocalSubprocessRuntime();
    const handle = spawnCollecting(runtime, ['seq', '3'], directory);
    for await (const line of handle.lines('stdout')) {
      expect(line).toMatchObject({ text: '1' });
      break;
    }
    const again: string[] = [];
    for await (const line of handle.lines('stdout')) if (line.kind === 'line') again.push(line.text);
    expect(again).toEqual(['1', '2', '3']);
  });

  it('refuses a stream that is not collected, and is empty after a failed launch', async () => {
    await using runtime = new LocalSubprocessRuntime();
    const handle = runtime.spawn({ argv: ['no-such-program'], cwd: directory, graceMs: 1, stdio: { stdin: 'ignore', stdout: { maxBytes: 1 }, stderr: 'inherit' } });
    // @ts-expect-error stderr is inherited
    expect(() => handle.lines('stderr')).toThrow(TypeError);
    for await (const line of handle.lines('stdout')) throw new Error(`no line was expected: ${line.kind}`);
    await expect(handle.done).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
