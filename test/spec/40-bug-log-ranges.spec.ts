// Faults that other tools were reported for, by number and topic: survivors, escapes, strangers, zombies, escalation, aborts.
import { execSync, spawn as plainSpawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getEventListeners, once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { askHost } from '../support/host.ts';
import { provingOwners } from '../support/owners.ts';
import { root } from '../support/paths.ts';
import { ownPids } from '../support/privilege.ts';
import { alive, end, state } from '../support/proc.ts';
import { line, rejection, run, spawnCollecting } from '../support/run.ts';
import { timed, waitUntil, within } from '../support/until.ts';

const fence = leakFence();
const sh = (script: string, ...args: string[]): string[] => ['/bin/sh', '-c', script, 'sh', ...args];
const pidOf = (text: string): number => Number(/\d+/.exec(text)?.[0]);

describe.each(provingOwners)('held by %s', (owner) => {
  const runtime = new LocalSubprocessRuntime({ ownership: owner });
  const start = (script: string, more: Parameters<typeof spawnCollecting>[3] = {}, ...args: string[]) =>
    spawnCollecting(runtime, sh(script, ...args), fence.directory, { graceMs: 1000, ...more });

  it.each(['', '>/dev/null', '2>/dev/null'])('B001: a quiet background job that holds a pipe (%s) delays done by no more than the grace, and lives on', async (redirection) => {
    let handle!: ReturnType<typeof start>;
    const [ms, outcome] = await timed(() => {
      handle = start(`sleep 60 ${redirection} & echo job $!; echo done`, { graceMs: 500 });
      return within(30_000, 'done', handle.done);
    });
    expect(outcome).toEqual({ exitCode: 0, signal: null });
    expect(ms).toBeGreaterThan(490);
    const job = pidOf(await line(handle));
    expect(handle.collected.stdout.readFrom(0).text).toBe(`job ${job}\ndone\n`);
    expect(alive(job)).toBe(true);
    expect(handle.report().drain).toBe('deadline');
    expect(await handle.waitForExit(AbortSignal.timeout(50))).toBe(false);
    end(job);
    expect(await handle.waitForExit()).toBe(true);
    expect(handle.report().strays.count).toBe(0);
  });

  it('B001: nor does it where the streams are pipes of the caller', async () => {
    const handle = runtime.spawn({ argv: sh('sleep 60 & echo done'), cwd: '/', graceMs: 300, stdio: { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' } });
    handle.stdout.resume();
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: 0, signal: null });
    expect(handle.stdout.destroyed).toBe(false);
    handle.terminate();
    await handle.waitForExit();
    handle.stdout.destroy();
    handle.stderr.destroy();
  });

  it('B003: the whole pipeline of a shell ends, and not only the shell', async () => {
    const handle = start('mkfifo fifo; (while sleep 0.05; do echo child; done) > fifo & echo writer $!; exec < fifo; rm fifo; while read -r x; do echo "$x"; done');
    const writer = pidOf(await line(handle));
    await line(handle, 2);
    handle.terminate();
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: null, signal: 'SIGTERM' });
    expect(await handle.waitForExit()).toBe(true);
    expect(alive(writer)).toBe(false);
  });

  it('B009: a job in a session of its own is ended too', async () => {
    const handle = start("setsid sh -c 'echo escaped $$; exec sleep 60' & sleep 60", { graceMs: 300 });
    const escaped = pidOf(await line(handle));
    handle.terminate();
    await within(30_000, 'done', handle.done);
    expect(await within(30_000, 'emptiness', handle.waitForExit())).toBe(true);
    expect(alive(escaped)).toBe(false);
  });

  it('B011: nothing is signalled after the end, even when the number of the leader belongs to a stranger (275)', async () => {
    const facts = await askHost<{ reused: boolean; strangerLives: boolean }>('pid-reuse.mjs', [owner], { wrap: ownPids });
    expect(facts).toEqual({ reused: true, strangerLives: true });
  });

  it('B013: the clean-up of a failed spawn signals nobody', async () => {
    const sentinel = plainSpawn('/bin/sleep', ['60'], { stdio: 'ignore' }); // of the group of this process
    const handle = spawnCollecting(runtime, ['/no/such/program'], fence.directory);
    handle.terminate();
    expect((await rejection(handle.done)).code).toBe('ENOENT');
    handle.terminate();
    expect(await handle.waitForExit()).toBe(true);
    expect(handle.pid).toBe(-1);
    await delay(50);
    expect(state(sentinel.pid as number)).toBe('S');
    sentinel.kill('SIGKILL');
    await once(sentinel, 'exit');
  });

  it('B015: a host that is process 1 is left without zombies', async () => {
    const facts = await askHost<{ pid: number; zombies: number }>('pid-one.mjs', [owner], { wrap: ownPids });
    expect(facts).toEqual({ pid: 1, zombies: 0 });
  });

  it("B017: exit codes are everybody's own: ours, those of child_process, and of execSync in between", async () => {
    const plain = Array.from({ length: 25 }, async () => once(plainSpawn('/bin/sh', ['-c', 'sleep 0.2; exit 41'], { stdio: 'ignore' }), 'exit'));
    const ours = Array.from({ length: 25 }, () => run(runtime, sh('sleep 0.2; exit 41'), '/'));
    expect(execSync('echo between', { encoding: 'utf8' })).toBe('between\n');
    expect((await Promise.all(plain)).map(([code]) => code as number)).toEqual(Array.from({ length: 25 }, () => 41));
    expect((await Promise.all(ours)).map((one) => one.outcome.exitCode)).toEqual(Array.from({ length: 25 }, () => 41));
  });

  it('B019: a command that ignores TERM is killed after the grace', async () => {
    const handle = start("trap '' TERM; echo up; while :; do sleep 0.1; done", { graceMs: 300 });
    await line(handle);
    const [ms, outcome] = await timed(() => {
      handle.terminate();
      return within(30_000, 'done', handle.done);
    });
    expect(outcome).toEqual({ exitCode: null, signal: 'SIGKILL' });
    expect(ms).toBeGreaterThan(290);
    expect(await handle.waitForExit()).toBe(true);
  });

  it('B021: a stopped command is continued after TERM, so that it can clean up', async () => {
    const marker = join(fence.directory, 'cleaned');
    const handle = start('trap \'echo cleaned > "$1"; exit 0\' TERM; echo up; kill -STOP $$; while :; do sleep 0.05; done', { graceMs: 25_000 }, marker);
    await line(handle);
    await waitUntil('the stop', () => state(handle.pid) === 'T');
    handle.terminate();
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: 0, signal: null });
    await handle.waitForExit();
    expect(readFileSync(marker, 'utf8')).toBe('cleaned\n');
    rmSync(marker);
  });

  it('B076: a command lives on when a thread that spawned meanwhile has ended', async () => {
    const handle = start('sleep 60');
    for (let i = 0; i < 2; i++) {
      const worker = new Worker(`${root}test/fixtures/hosts/worker.mjs`, { workerData: { mode: 'run', text: 'x' } });
      await within(30_000, 'the end of the worker', once(worker, 'exit'));
    }
    expect(alive(handle.pid)).toBe(true);
    handle.terminate();
    expect(await handle.done).toEqual({ exitCode: null, signal: 'SIGTERM' });
    await handle.waitForExit();
  });

  it('B077: a signal that many commands share carries no listener of one that is over, failed or not', async () => {
    const { signal } = new AbortController();
    const spawnOne = (argv: string[]) => spawnCollecting(runtime, argv, fence.directory, { signal });
    for (let i = 0; i < 5; i++) {
      const handles = Array.from({ length: 40 }, (_, at) => spawnOne(at % 2 === 0 ? ['/no/such/program'] : ['/bin/true']));
      await Promise.all(handles.map(async (handle) => {
        await handle.done.catch(() => {});
        await handle.waitForExit();
      }));
    }
    const stopped = spawnOne(['/bin/sleep', '60']);
    stopped.terminate();
    await stopped.waitForExit();
    await stopped.done;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('B079: what was aborted does nothing afterwards', async () => {
    const marker = join(fence.directory, 'touched');
    const controller = new AbortController();
    const go = join(fence.directory, 'go');
    const handle = start('echo up; until [ -e "$2" ]; do sleep 0.05; done; echo touched > "$1"', { signal: controller.signal }, marker, go);
    await line(handle);
    controller.abort();
    expect(await within(30_000, 'emptiness', handle.waitForExit())).toBe(true);
    writeFileSync(go, '');
    await delay(300);
    rmSync(go);
    expect(existsSync(marker)).toBe(false);
    await handle.done;
  });

  it('B081: an abort settles everything, whatever ignores TERM and holds the pipes', async () => {
    const own = new LocalSubprocessRuntime({ ownership: owner });
    const controller = new AbortController();
    const deaf = 'trap "" TERM; while :; do echo tick; sleep 0.05; done';
    const handle = spawnCollecting(own, sh(`trap '' TERM; setsid sh -c '${deaf}' & echo up $!; while :; do sleep 0.05; done`), fence.directory, { graceMs: 400, signal: controller.signal });
    const escaped = pidOf(await line(handle));
    controller.abort();
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: null, signal: 'SIGKILL' });
    await within(30_000, 'disposal', own.dispose());
    expect(await handle.waitForExit()).toBe(true);
    expect(alive(escaped)).toBe(false);
  });
});
