import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { dummy } from '../support/paths.ts';
import { alive, end, stat } from '../support/proc.ts';
import { factsArgv, line, parseFacts, run, spawnCollecting } from '../support/run.ts';
import { timed, waitUntil, within } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();
const go = (argv: readonly string[], more = {}) => run(runtime, argv, fence.directory, more);

describe('done', () => {
  it.each([0, 1, 7, 127, 255])('is the exit code %i of the command (141)', async (code) => {
    const { outcome } = await go(dummy('exit', code));
    expect(outcome).toEqual({ exitCode: code, signal: null });
  });

  it.each(['SIGHUP', 'SIGINT', 'SIGKILL', 'SIGSEGV', 'SIGTERM', 'SIGUSR1'] as const)('is the name of the signal %s that ended the command (141)', async (signal) => {
    const { outcome } = await go(dummy('kill', constants.signals[signal]));
    expect(outcome).toEqual({ exitCode: null, signal });
  });

  it('never reports success for a signal without a name (152)', async () => {
    const { outcome } = await go(dummy('kill', 35));
    expect(outcome).toEqual({ exitCode: null, signal: null });
  });

  it('carries those two facts and nothing else (142)', async () => {
    const { outcome } = await go(dummy('exit', 3));
    expect(Object.keys(outcome).sort()).toEqual(['exitCode', 'signal']);
  });

  it('is the same promise each time it is asked for', async () => {
    const handle = spawnCollecting(runtime, dummy('exit', 0), fence.directory);
    expect(handle.done).toBe(handle.done);
    await handle.done;
  });

  it('comes after everything that was in the pipe at exit has been collected (120, 153)', async () => {
    const { stdout } = await go(dummy('write', 1, 200_000, 65536, 0));
    expect(stdout).toHaveLength(200_000);
  });

  it('waits for a survivor that holds a collected pipe, for no longer than the grace (143)', async () => {
    const handle = spawnCollecting(runtime, dummy('holder', 'late', 5), fence.directory, { graceMs: 30_000 });
    const survivor = Number(await line(handle));
    await waitUntil('the end of the command', () => !alive(handle.pid));
    expect(handle.report().drain).toBe('pending');
    end(survivor);
    expect(await handle.done).toEqual({ exitCode: 5, signal: null });
    expect(handle.collected.stdout.readFrom(0).text).toMatch(/^\d+\nlate$/);
    expect(handle.report().drain).toBe('eof');
    await handle.waitForExit();
  });

  it('does not wait beyond the grace for a daemon that holds the pipe, and does not kill it (143, 144, 145)', async () => {
    let handle!: ReturnType<typeof spawnCollecting>;
    const [ms, outcome] = await timed(() => {
      handle = spawnCollecting(runtime, dummy('daemon', 'hold', 'plain', 6), fence.directory, { graceMs: 300 });
      return within(30_000, 'done', handle.done);
    });
    expect(outcome).toEqual({ exitCode: 6, signal: null });
    expect(ms).toBeGreaterThan(290);
    const daemon = Number(await line(handle));
    expect(handle.report().drain).toBe('deadline');
    expect(alive(daemon)).toBe(true);
    expect(handle.collected.stdout.readFrom(0).text).toBe(`${daemon}\n`);
    handle.terminate();
    expect(await handle.waitForExit()).toBe(true);
    expect(alive(daemon)).toBe(false);
  });

  it('does not wait for a survivor that has closed the pipes', async () => {
    const handle = spawnCollecting(runtime, dummy('daemon', 'close', 'plain', 0), fence.directory, { graceMs: 20_000 });
    await within(30_000, 'done', handle.done);
    expect(handle.report().drain).toBe('eof');
    handle.terminate();
    await handle.waitForExit();
  });

  it('waits for the exit of a command that has closed its outputs', async () => {
    const { outcome } = await go(dummy('close', 200, 4));
    expect(outcome).toEqual({ exitCode: 4, signal: null });
  });

  it('raises no unhandled rejection when a failed one is not looked at (151)', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => { unhandled.push(reason); };
    process.on('unhandledRejection', note);
    const handle = spawnCollecting(runtime, ['/no/such/program'], fence.directory);
    await handle.waitForExit();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

describe('spawn', () => {
  it('returns at once, also for the working directory of a program that does not exist (148)', async () => {
    const handle = spawnCollecting(runtime, ['/no/such/program'], '/no/such/directory');
    await expect(handle.done).rejects.toThrow();
  });

  it('gives the command its arguments unchanged: empty ones, spaces, quotes, other scripts (67)', async () => {
    const args = ['', ' ', '$HOME', '*', `'"\\`, 'grüße 世界 🎣', '\n', '-', '--'];
    const { stdout } = await go([...factsArgv, ...args]);
    expect(parseFacts(stdout).argv.slice(2)).toEqual(args);
  });

  it('makes the command leader of a session and group of its own, without a terminal (68)', async () => {
    const facts = parseFacts((await go(factsArgv)).stdout);
    expect(facts).toMatchObject({ sid: facts.pid, pgid: facts.pid, tty: false });
  });

  it('gives it default signal dispositions and an empty mask, although Node ignores SIGPIPE (69, 305)', async () => {
    const facts = parseFacts((await go(factsArgv)).stdout);
    expect(facts).toMatchObject({ blocked: [], handled: [] });
  });

  it('gives it descriptors 0 to 2 and nothing else, blocking (70, 75, 204, 306)', async () => {
    const facts = parseFacts((await go(factsArgv)).stdout);
    expect(Object.keys(facts.fds)).toEqual(['0', '1', '2']);
    expect(Object.values(facts.fds).map((fd) => fd.nonblocking)).toEqual([false, false, false]);
  });

  it('runs it in the directory of the specification, with the umask, priority and limits of the host (71, 72)', async () => {
    const before = process.umask(0o137);
    try {
      const facts = parseFacts((await go(factsArgv)).stdout);
      expect(facts).toMatchObject({ cwd: fence.directory, umask: 0o137 });
    } finally {
      process.umask(before);
    }
  });

  it('takes a relative directory from the working directory of the host at the call', async () => {
    const outside = process.cwd();
    process.chdir(fence.directory);
    const handle = spawnCollecting(runtime, factsArgv, '.');
    process.chdir(outside);
    await handle.done;
    expect(parseFacts(handle.collected.stdout.readFrom(0).text).cwd).toBe(fence.directory);
  });

  it('knows the process id of the command, and -1 of one that could not be started', async () => {
    const handle = spawnCollecting(runtime, factsArgv, fence.directory);
    const { pid } = handle;
    await handle.done;
    expect(parseFacts(handle.collected.stdout.readFrom(0).text).pid).toBe(pid);
    const failed = spawnCollecting(runtime, ['/no/such/program'], fence.directory);
    expect(failed.pid).toBe(-1);
    await failed.waitForExit();
  });

  it('leaves no zombie in the host', async () => {
    const handle = spawnCollecting(runtime, dummy('exit', 0), fence.directory);
    const { pid } = handle;
    await handle.done;
    await handle.waitForExit();
    expect(stat(pid)?.ppid).not.toBe(process.pid);
  });

  it('starts two hundred commands at once and keeps them apart', async () => {
    const all = Array.from({ length: 200 }, (_, i) => run(runtime, ['/bin/sh', '-c', `echo ${i}; exit ${i % 100}`], fence.directory, { graceMs: 20_000 }));
    const results = await within(30_000, 'two hundred commands', Promise.all(all));
    expect(results.map((one) => [one.stdout, one.outcome.exitCode])).toEqual(results.map((_, i) => [`${i}\n`, i % 100]));
  });
});
