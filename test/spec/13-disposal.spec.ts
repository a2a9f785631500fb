import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { askHost } from '../support/host.ts';
import { dummy } from '../support/paths.ts';
import { alive } from '../support/proc.ts';
import { line, rejection, spawnCollecting } from '../support/run.ts';
import { within } from '../support/until.ts';

const fence = leakFence();
const quiet = (): LocalSubprocessRuntime => new LocalSubprocessRuntime();
const spawn = (of: LocalSubprocessRuntime, argv: readonly string[], more = {}) => spawnCollecting(of, argv, fence.directory, more);

describe('dispose', () => {
  it('ends every live range at once, gracefully where they allow it (184, 193)', async () => {
    const runtime = quiet();
    const polite = Array.from({ length: 10 }, () => spawn(runtime, dummy('trap-term', 3), { graceMs: 25_000 }));
    const deaf = Array.from({ length: 10 }, () => spawn(runtime, dummy('ignore-term'), { graceMs: 400 }));
    await Promise.all([...polite, ...deaf].map((handle) => line(handle)));
    await within(30_000, 'disposal', runtime.dispose());
    for (const handle of polite) expect(await handle.done).toEqual({ exitCode: 3, signal: null });
    for (const handle of deaf) expect(await handle.done).toEqual({ exitCode: null, signal: 'SIGKILL' });
  });

  it('ends the survivor of a command that has finished (185)', async () => {
    const runtime = quiet();
    const handle = spawn(runtime, dummy('daemon', 'close', 'plain', 0));
    await handle.done;
    const daemon = Number(handle.collected.stdout.readFrom(0).text);
    expect(alive(daemon)).toBe(true);
    await runtime.dispose();
    expect(alive(daemon)).toBe(false);
    expect(await handle.waitForExit(AbortSignal.abort())).toBe(true);
  });

  it('leaves alone what other runtimes of the process own', async () => {
    const [mine, other] = [quiet(), quiet()];
    const handle = spawn(other, dummy('sleep', 30_000));
    expect(alive(handle.pid)).toBe(true);
    await mine.dispose();
    expect(alive(handle.pid)).toBe(true);
    await other.dispose();
    expect(await handle.done).toEqual({ exitCode: null, signal: 'SIGTERM' });
  });

  it('is not disturbed by launches that failed or are under way (187)', async () => {
    const runtime = quiet();
    const failed = spawn(runtime, ['/no/such/program']);
    const underWay = spawn(runtime, dummy('sleep', 30_000));
    await within(30_000, 'disposal', runtime.dispose());
    expect(await rejection(failed.done)).toMatchObject({ code: 'ENOENT' });
    expect(await underWay.done).toMatchObject({ exitCode: null });
  });

  it('of a runtime that never spawned, or twice, is fine', async () => {
    const runtime = quiet();
    await runtime.dispose();
    await runtime.dispose();
    await runtime[Symbol.asyncDispose]();
  });

  it('resolves for all callers when several dispose at once', async () => {
    const runtime = quiet();
    const handle = spawn(runtime, dummy('ignore-term'), { graceMs: 300 });
    await line(handle);
    await within(30_000, 'both', Promise.all([runtime.dispose(), runtime.dispose()]));
    expect(alive(handle.pid)).toBe(false);
  });

  it('leaves piped output readable, and destroys control channels (191, 192, 211, 212)', async () => {
    const runtime = quiet();
    const handle = runtime.spawn({
      argv: ['/bin/sh', '-c', 'echo kept; echo unread >&7; exec sleep 30'], cwd: '/', graceMs: 2000,
      stdio: { stdin: 'ignore', stdout: 'pipe', stderr: { maxBytes: 1000 }, control: 'pipe' },
    });
    await once(handle.control, 'readable');
    await runtime.dispose();
    expect(handle.control).toMatchObject({ destroyed: true, closed: true });
    expect(await text(handle.stdout)).toBe('kept\n');
  });

  it('is what `await using` does, for a runtime and for a handle', async () => {
    let runtimePid: number;
    {
      await using runtime = quiet();
      const handle = spawn(runtime, dummy('sleep', 30_000));
      {
        await using inner = spawn(runtime, dummy('sleep', 30_000));
        expect(alive(inner.pid)).toBe(true);
        runtimePid = handle.pid;
      }
      expect(alive(runtimePid)).toBe(true);
    }
    expect(alive(runtimePid)).toBe(false);
  });
});

describe('the exit listener', () => {
  it('is one for all runtimes, in front of those that were there, and gone after the last disposal (7, 8, 12, 201)', async () => {
    const facts = await askHost<{ before: number; mounted: number; first: boolean; oneLeft: number; after: number; warnings: number }>('listeners.mjs');
    expect(facts).toEqual({ before: 1, mounted: 2, first: true, oneLeft: 2, after: 1, warnings: 0 });
  });
});

describe('sixty spawns and twenty failures', () => {
  it('leave nothing behind (79)', async () => {
    const runtime = quiet();
    await Promise.all([
      ...Array.from({ length: 60 }, async (_, i) => {
        const handle = spawn(runtime, dummy('exit', i));
        expect((await handle.done).exitCode).toBe(i);
        await handle.waitForExit();
      }),
      ...Array.from({ length: 20 }, async () => rejection(spawn(runtime, ['/no/such/program']).done)),
    ]);
    await fence.check();
    await runtime.dispose();
  });
});
