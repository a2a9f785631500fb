import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compose, type Composition } from '../../support/dsh.ts';
import { leakFence } from '../../support/fence.ts';
import { startHost } from '../../support/host.ts';
import { dummy } from '../../support/paths.ts';
import { pattern } from '../../support/pattern.ts';
import { within } from '../../support/until.ts';

leakFence();
let host: Composition;
beforeAll(async () => { host = await compose(); });
afterAll(() => host.dispose());

type Out = 'pipe' | 'inherit' | { maxBytes: number };
const collect = { maxBytes: 1 << 20 };
const withOutput = <const O extends Out, const E extends Out>(stdout: O, stderr: E, argv: readonly string[], graceMs = 3000) =>
  host.subprocess.spawn({ argv, cwd: '/', graceMs, stdio: { stdin: 'ignore', stdout, stderr } });

describe('H. stdout and stderr', () => {
  it('90, 98: pipes are Readables of buffers, each stream by itself and in its order', async () => {
    const handle = withOutput('pipe', 'pipe', ['/bin/sh', '-c', 'echo out1; echo err1 >&2; echo out2; echo err2 >&2']);
    expect(handle.stdout).toBeInstanceOf(Readable);
    const [out, err] = await Promise.all([buffer(handle.stdout), buffer(handle.stderr)]);
    expect([out.toString(), err.toString()]).toEqual(['out1\nout2\n', 'err1\nerr2\n']);
    expect(Object.keys(handle.collected)).toEqual([]);
    await handle.waitForExit();
  });

  it('91, 94: inherit is the host\'s descriptor, with nothing on the handle; it settles at the exit', async () => {
    const { stdout, stderr, code } = await startHost('dsh-inherit.mjs').result;
    expect({ stdout: stdout.split('\n'), stderr, code }).toEqual({
      stdout: ['from the child', '{"properties":[null,null],"collected":[],"outcome":{"exitCode":4,"signal":null}}', ''], stderr: 'error of the child\n', code: 0,
    });
  });

  it('92, 93: a collected stream has a reader and no stream; a mixture wires what was asked for', async () => {
    const handle = withOutput(collect, 'pipe', ['/bin/sh', '-c', 'echo out; echo err >&2']);
    expect([handle.stdin, handle.stdout, Object.keys(handle.collected)]).toEqual([undefined, undefined, ['stdout']]);
    expect(await text(handle.stderr)).toBe('err\n');
    await handle.done;
    expect(handle.collected.stdout.readFrom(0).text).toBe('out\n');
    await handle.waitForExit();
  });

  it('95, 97: what a caller has not read stays readable after done', async () => {
    const handle = withOutput('pipe', collect, dummy('write', 1, 50_000, 5000, 0));
    await handle.done;
    expect(handle.stdout.destroyed).toBe(false);
    expect(await text(handle.stdout)).toBe(pattern(0, 50_000));
    await handle.waitForExit();
  });

  it('96: a caller that never reads delays done by the grace at most', async () => {
    const handle = withOutput('pipe', collect, ['/bin/sh', '-c', 'head -c 300000 /dev/zero & exit 0'], 300);
    await within(30_000, 'done', handle.done);
    handle.stdout.destroy();
    handle.terminate();
    await handle.waitForExit();
  });

  it('99: setEncoding, pipe and iteration are Node\'s', async () => {
    const handle = withOutput('pipe', collect, ['printf', 'ü\\nü']);
    handle.stdout.setEncoding('utf8');
    const parts: unknown[] = [];
    for await (const part of handle.stdout) parts.push(part);
    expect(parts.join('')).toBe('ü\nü');
    await handle.waitForExit();
  });

  it('100: the writer of a stream that was destroyed dies of SIGPIPE, and done settles with that', async () => {
    const handle = withOutput('pipe', collect, ['yes']);
    handle.stdout.once('data', () => handle.stdout.destroy());
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: null, signal: 'SIGPIPE' });
    await handle.waitForExit();
  });

  it('306: four megabytes to stderr reach a host that is busy', async () => {
    const handle = withOutput(collect, { maxBytes: 4_000_000 }, dummy('write', 2, 4_000_000, 4096, 0));
    for (const end = performance.now() + 300; performance.now() < end;);
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
    expect(handle.collected.stderr.readFrom(0)).toMatchObject({ nextOffset: 4_000_000, lossy: false });
    await handle.waitForExit();
  });
});
