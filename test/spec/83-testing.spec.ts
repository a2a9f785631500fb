import { closeSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dummyChild, leakFence } from '../../dist/testing.js';
import { collect, LocalSubprocessRuntime } from '../support/holdfast.ts';
import { rejection, spawnCollecting } from '../support/run.ts';
import { waitUntil } from '../support/until.ts';

describe('holdfast/testing', () => {
  it('finds nothing where nothing was left', async () => {
    await using fence = await leakFence();
    await collect(dummyChild('lines', 10));
    await fence.check();
  });

  it('names a descriptor that was left open, once', async () => {
    await using fence = await leakFence({ settleMs: 1 });
    const fd = openSync('/proc/version', 'r');
    expect((await rejection(fence.check())).message).toContain('descriptors: /proc/version');
    await fence.check();
    closeSync(fd);
  });

  it('names a command that still runs, also one that has left the tree', async () => {
    await using runtime = new LocalSubprocessRuntime();
    const fence = await leakFence({ settleMs: 1 });
    const handle = spawnCollecting(runtime, dummyChild('daemon'), '/', { graceMs: 200 });
    await handle.done;
    const pid = Number(handle.collected.stdout.readFrom(0).text);
    expect((await rejection(fence.check())).message).toContain(`elsewhere: ${pid} `);
    await runtime.dispose();
    await fence[Symbol.asyncDispose]();
  });

  it('has a child for each way to behave', async () => {
    expect((await collect(dummyChild('exit', 7))).exitCode).toBe(7);
    expect((await collect(dummyChild('flood', 200_001))).stdout.totalBytes).toBe(200_001);
    expect((await collect(dummyChild('lines', 3))).stdout.text).toBe('1\n2\n3\n');
    expect((await collect(dummyChild('echo'), { input: 'again' })).stdout.text).toBe('again');
    const daemon = await collect(dummyChild('daemon'), { graceMs: 200 });
    expect([daemon.exitCode, daemon.report.strays.listed[0]?.endedBy]).toEqual([0, 'KILL']);

    await using runtime = new LocalSubprocessRuntime();
    const stubborn = spawnCollecting(runtime, dummyChild('stubborn'), '/', { graceMs: 200 });
    await waitUntil('its handlers', () => stubborn.collected.stdout.readFrom(0).text === 'ready\n');
    stubborn.terminate();
    expect(await stubborn.done).toEqual({ exitCode: null, signal: 'SIGKILL' });
  });
});
