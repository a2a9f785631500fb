import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { startHost } from '../support/host.ts';
import { dummy } from '../support/paths.ts';
import { pattern } from '../support/pattern.ts';
import { alive, end } from '../support/proc.ts';
import { factsArgv, parseFacts } from '../support/run.ts';
import { timed, waitUntil, within } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();
const collect = { maxBytes: 65536 };

function piped(argv: readonly string[], graceMs = 5000) {
  return runtime.spawn({ argv, cwd: fence.directory, graceMs, stdio: { stdin: 'ignore', stdout: 'pipe', stderr: collect } });
}

describe("an output that is 'pipe'", () => {
  it('is a Readable of Buffers, and has no reader (90, 92, 93)', async () => {
    const handle = piped(dummy('lines', 3));
    expect(handle.stdout).toBeInstanceOf(Readable);
    expect(Object.keys(handle.collected)).toEqual(['stderr']);
    const [first] = await once(handle.stdout, 'data');
    expect(first).toBeInstanceOf(Buffer);
    handle.stdout.resume();
    await handle.done;
  });

  it('delivers every byte in order, to a fast and to a slow reader (97, 98)', async () => {
    const fast = piped(dummy('write', 1, 3_000_000, 5000, 0));
    expect(await text(fast.stdout) === pattern(0, 3_000_000)).toBe(true);
    const slow = piped(dummy('write', 1, 400_000, 5000, 0));
    let got = '';
    for await (const part of slow.stdout) {
      got += part;
      await delay(2);
    }
    expect(got === pattern(0, 400_000)).toBe(true);
    await Promise.all([fast.done, slow.done]);
  });

  it('delivers everything to a reader that begins after done (95, 97)', async () => {
    const handle = piped(dummy('write', 1, 50_000, 50_000, 0), 300);
    await handle.done;
    expect(handle.stdout.destroyed).toBe(false);
    expect(await text(handle.stdout) === pattern(0, 50_000)).toBe(true);
  });

  it('that nobody reads delays done by no more than the grace (96)', async () => {
    // More than any Node version reads ahead of a reader, less than that and the pipe together.
    let handle!: ReturnType<typeof piped>;
    const [ms, outcome] = await timed(() => {
      handle = piped(dummy('write', 1, 100_000, 100_000, 0), 300);
      return within(30_000, 'done', handle.done);
    });
    expect(outcome).toEqual({ exitCode: 0, signal: null });
    expect(ms).toBeGreaterThan(290);
    expect(handle.report().drain).toBe('deadline');
    expect(await text(handle.stdout)).toHaveLength(100_000);
  });

  it('that nobody reads holds back a command that writes more than the pipe takes', async () => {
    const handle = piped(dummy('write', 1, 8 << 20, 65536, 0));
    expect(handle.pid).toBeGreaterThan(0); // it was launched
    await delay(300);
    expect(handle.report()).toMatchObject({ launch: 'started', drain: 'pending' });
    expect(await text(handle.stdout)).toHaveLength(8 << 20);
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
  });

  it('ends its writer by SIGPIPE when the reader destroys it (100)', async () => {
    const handle = piped(dummy('yes'));
    await once(handle.stdout, 'data');
    handle.stdout.destroy();
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: null, signal: 'SIGPIPE' });
  });

  it('does not settle before its end has been read, when that comes within the grace (143)', async () => {
    const handle = piped(dummy('holder', 'late', 0), 30_000);
    const all = text(handle.stdout);
    let settled = false;
    void handle.done.then(() => { settled = true; });
    await waitUntil('the end of the command', () => !alive(handle.pid));
    const { members: [survivor] } = await handle.inspect();
    expect(settled).toBe(false);
    end((survivor as { pid: number }).pid);
    expect(await all).toBe(`${survivor?.pid}\nlate`);
    await handle.done;
    expect(handle.report().drain).toBe('eof');
    await handle.waitForExit();
  });

  it('works with setEncoding, pipe() and async iteration as any stream (99)', async () => {
    const handle = piped(dummy('hex', 1, 20, 'e4', 'b896', 'e7958c'));
    handle.stdout.setEncoding('utf8');
    let all = '';
    for await (const part of handle.stdout) all += part;
    expect(all).toBe('世界');
    await handle.done;
  });

  it('keeps both streams apart (98)', async () => {
    const handle = runtime.spawn({
      argv: ['/bin/sh', '-c', 'for i in 1 2 3 4 5 6 7 8 9; do echo out$i; echo err$i >&2; done'],
      cwd: '/', graceMs: 5000, stdio: { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
    });
    const [out, err] = await Promise.all([text(handle.stdout), text(handle.stderr)]);
    expect(out.split('\n').filter(Boolean)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `out${i}`));
    expect(err.split('\n').filter(Boolean)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `err${i}`));
    expect(Object.keys(handle.collected)).toEqual([]);
    await handle.done;
  });

  it('is blocking in the child, while the host reads it without blocking (70, 306)', async () => {
    const handle = runtime.spawn({ argv: factsArgv, cwd: '/', graceMs: 5000, stdio: { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' } });
    const { fds } = parseFacts(await text(handle.stdout));
    expect(Object.keys(fds)).toEqual(['0', '1', '2']);
    expect(Object.values(fds).filter((fd) => fd.nonblocking)).toEqual([]);
    handle.stderr.resume();
    await handle.done;
  });

  it('can be opened again by the child as /dev/stdout', async () => {
    const handle = piped(['/bin/sh', '-c', 'echo again > /dev/stdout']);
    expect(await text(handle.stdout)).toBe('again\n');
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
  });
});

describe("an output that is 'inherit'", () => {
  it('goes to the host\'s own descriptors, and the handle has neither stream nor reader (91, 94)', async () => {
    const result = await startHost('inherit.mjs', ['echo']).result;
    expect(result).toMatchObject({ code: 0, stderr: 'err\n' });
    const lines = result.stdout.trimEnd().split('\n');
    expect(lines[0]).toBe('out');
    expect(JSON.parse(lines[1] as string)).toEqual({ stdout: 'undefined', stderr: 'undefined', collected: [] });
  });

  // Node gives its children stream sockets as stdio, shells give pipes. Both are non-blocking in a host that writes to them.
  it.each([['a FIFO', ['/bin/bash', '-c', '"$@" | cat', 'bash']], ['a socket', []]])('that is %s is blocking in the child, so that a slow reader loses nothing (306)', async (what, wrap) => {
    const host = startHost('inherit.mjs', ['bulk'], { wrap });
    host.child.stdout?.pause();
    await delay(500);
    host.child.stdout?.resume();
    const result = await host.result;
    expect(result.code).toBe(0);
    const facts = JSON.parse(result.stderr) as { outcome: unknown; flagsKept: boolean };
    expect(facts.outcome).toEqual({ exitCode: 0, signal: null });
    expect(result.stdout.length).toBe(4_000_000);
    expect(result.stdout === pattern(0, 4_000_000)).toBe(true);
    // A FIFO can be opened once more, so that the host's own description of it stays as it was.
    if (what === 'a FIFO') expect(facts.flagsKept).toBe(true);
  });
});
