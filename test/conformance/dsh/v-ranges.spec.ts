import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compose, finish, start, type Composition } from '../../support/dsh.ts';
import { leakFence } from '../../support/fence.ts';
import { startHost } from '../../support/host.ts';
import { dummy } from '../../support/paths.ts';
import { alive } from '../../support/proc.ts';
import { factsArgv, line, parseFacts, pidLines, rejection } from '../../support/run.ts';
import { within } from '../../support/until.ts';

const fence = leakFence();
let host: Composition;
beforeAll(async () => { host = await compose(); });
afterAll(() => host.dispose());

describe('V. what a range is, seen from outside', () => {
  it('286, 290: sessions and double forks are contained, waited for, and all of them are ended', async () => {
    const handle = start(host.subprocess, ['/bin/sh', '-c', 'setsid sleep 60 & echo $!; (setsid sh -c "sleep 60 & echo \\$!; exec sleep 60" & echo $!); wait']);
    const pids = await pidLines(handle, 3);
    expect(await handle.waitForExit(AbortSignal.timeout(100))).toBe(false);
    handle.terminate();
    await within(30_000, 'emptiness', handle.waitForExit());
    expect(pids.filter(alive)).toEqual([]);
  });

  it('287: a command that is terminated before it has started tells the signal', async () => {
    for (let round = 0; round < 10; round++) {
      const handle = start(host.subprocess, dummy('sleep', 30_000));
      handle.terminate();
      expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: null, signal: 'SIGTERM' });
      await handle.waitForExit();
    }
  });

  it('288: errors of the start come back whole: a candidate that could not be run is remembered, and PATH has no default', async () => {
    expect(await rejection(start(host.subprocess, ['no-such'], { env: { PATH: '/usr/bin' } }).done)).toMatchObject({ code: 'ENOENT', errno: -2, spawnargs: [] });
    expect(await rejection(start(host.subprocess, ['sh'], { env: { PATH: undefined } }).done)).toMatchObject({ code: 'ENOENT' });
  });

  it('289: an end that cannot be known is never guessed: the report says pending until it is', async () => {
    const handle = start(host.subprocess, dummy('sleep', 30_000));
    expect(handle.pid).toBeGreaterThan(0);
    expect(handle.report()).toMatchObject({ launch: 'started', proof: 'pending' });
    handle.terminate();
    await handle.waitForExit();
    expect(['proven', 'observed']).toContain(handle.report().proof);
  });

  it('291: no request with the child\'s environment lies in a file', async () => {
    const handle = start(host.subprocess, dummy('sleep', 30_000), { env: { CREDENTIAL: 'in-the-clear' } });
    expect(handle.pid).toBeGreaterThan(0);
    expect(readdirSync(fence.directory)).toEqual([]);
    handle.terminate();
    await handle.waitForExit();
  });

  it('292: only descriptors 0 to 2 are open after the start', async () => {
    expect(Object.keys(parseFacts((await finish(host.subprocess, factsArgv)).stdout).fds)).toEqual(['0', '1', '2']);
  });
});

describe('X. robustness', () => {
  it('312: a hundred calls in one turn of the event loop all settle', async () => {
    // How long that takes is in the benchmark (bench/spawn).
    const handles = Array.from({ length: 100 }, () => start(host.subprocess, ['true']));
    for (const handle of handles) expect((await handle.done).exitCode).toBe(0);
    await Promise.all(handles.map((handle) => handle.waitForExit()));
  });

  it('313: bulk output to stderr is complete', async () => {
    const handle = start(host.subprocess, dummy('write', 2, 1_000_000, 65_536, 0));
    expect((await handle.done).exitCode).toBe(0);
    expect(handle.collected.stderr.readFrom(0).nextOffset).toBe(1_000_000);
    await handle.waitForExit();
  });
});

describe('Y. logging', () => {
  it('316: nothing is written to the host\'s own output, nor logged, in normal operation', async () => {
    const handle = start(host.subprocess, dummy('daemon', 'close', 'plain', 0));
    await line(handle);
    handle.terminate();
    await handle.waitForExit();
    await rejection(start(host.subprocess, ['/no/such']).done);
    expect(host.logged).toEqual([]);
    const { stdout, stderr } = await startHost('spill-exit.mjs', [fence.directory, 'remove'], { env: { HOLDFAST_TEST_PROVIDER: 'dsh' } }).result;
    expect([stdout.trim().split('\n').length, stderr]).toEqual([1, '']);
  });
});
