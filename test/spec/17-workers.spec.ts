import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { askHost } from '../support/host.ts';
import { root } from '../support/paths.ts';
import { alive, stat } from '../support/proc.ts';
import { run } from '../support/run.ts';
import { waitUntil, within } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();
const workerScript = `${root}test/fixtures/hosts/worker.mjs`;

describe('in worker threads', () => {
  it('a worker spawns like the main thread, at the same time', async () => {
    const worker = new Worker(workerScript, { workerData: { mode: 'run', text: 'from the worker' } });
    const message = once(worker, 'message');
    const exited = once(worker, 'exit'); // asked for now: it may come in the same turn as the message
    const [answer, mine] = await Promise.all([within(30_000, 'the worker', message), run(runtime, ['/bin/echo', 'mine'], fence.directory)]);
    expect(answer[0]).toEqual({ text: 'from the worker\n', exitCode: 0, proof: mine.handle.report().proof });
    expect(mine.stdout).toBe('mine\n');
    await exited;
  });

  it('a hundred workers load, spawn and end, in a host that never loaded the addon and lives on', async () => {
    const facts = await askHost<{ ended: number; ok: number; extraThreads: number; extraDescriptors: string[]; children: number }>('hundred-workers.mjs', ['none']);
    // When the last environment of this copy has ended, its threads and its warden are gone.
    expect(facts).toEqual({ ended: 100, ok: 100, children: 0, extraThreads: 0, extraDescriptors: [] });
  });

  it('a hundred workers load, spawn and end, beside a main thread that uses the addon too', async () => {
    const facts = await askHost<{ ended: number; ok: number; extraThreads: number; extraDescriptors: string[]; children: number; after: string }>('hundred-workers.mjs', ['main']);
    expect(facts).toEqual({ ended: 100, ok: 100, children: 1, extraThreads: 0, extraDescriptors: [], after: 'still here\n' });
  });
});

describe('a worker that ends while something is looked up for it', () => {
  it('takes its questions with it, and nobody else is disturbed', async () => {
    expect(await askHost('answers-of-ended-workers.mjs')).toEqual({ found: true });
  });
});

describe('two copies of the addon in one process', () => {
  it('live side by side: each has a warden, and each ends its own', async () => {
    const place = mkdtempSync(join(fence.directory, 'copy-'));
    const facts = await askHost<{ paths: string[]; wardens: number[]; texts: string[]; firstAlive: boolean; secondGone: boolean }>('two-copies.mjs', [place]);
    expect(new Set(facts.paths).size).toBe(2);
    expect(new Set(facts.wardens).size).toBe(2);
    expect(facts.texts).toEqual(['one\n', 'two\n']);
    expect(facts.secondGone).toBe(true);
    expect(facts.firstAlive).toBe(true);
    await waitUntil('both wardens have ended with their host', () => facts.wardens.every((pid) => stat(pid) === undefined || !alive(pid)));
    rmSync(place, { recursive: true });
  });
});

describe('two versions of the package in one process', () => {
  it('live side by side in one thread: each has its binary, its warden and its commands, and the end of one is not the other\'s', async () => {
    const place = mkdtempSync(join(fence.directory, 'version-'));
    const facts = await askHost<{ paths: string[]; wardens: number[]; texts: string[]; outcome: object; firstEnded: boolean; proofs: string[]; foreignError: boolean }>('two-versions.mjs', [place]);
    expect(new Set(facts.paths).size).toBe(2);
    expect(new Set(facts.wardens).size).toBe(2);
    expect(facts).toMatchObject({ texts: ['one\n', 'two\n'], outcome: { exitCode: null, signal: 'SIGTERM' }, firstEnded: false, foreignError: false });
    expect(facts.proofs[0]).toBe(facts.proofs[1]);
    rmSync(place, { recursive: true });
  });
});
