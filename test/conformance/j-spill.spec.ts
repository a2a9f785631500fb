import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { askHost } from '../support/host.ts';
import { root } from '../support/paths.ts';

interface Answer {
  outcome: unknown; text: string; nextOffset: number; spillPath?: string; left: string[]; files: number; foreign?: string;
  report: { spill: string; spillError?: { code: string; syscall: string; path: string } };
}

const fence = leakFence();
let place: string;
beforeEach(() => { place = mkdtempSync(join(fence.directory, 'spill-')); });
afterEach(() => { rmSync(place, { recursive: true }); });

const ask = (fault: string, cap: number): Promise<Answer> =>
  askHost('spill-fault.mjs', [place, String(cap)], { env: { LD_PRELOAD: `${root}build/test/spill-faults.so`, SPILL_FAULT: fault } });
const undisturbed = { outcome: { exitCode: 0, signal: null }, text: 'end\n', nextOffset: 12, left: [] };

describe('a spill', () => {
  it('whose file cannot be closed withdraws the path, and done is what it is (131)', async () => {
    const answer = await ask('close', 1000);
    expect(answer).toMatchObject({ ...undisturbed, report: { spill: 'failed', spillError: { code: 'EIO', syscall: 'close' } }, files: 0 });
    expect(answer).not.toHaveProperty('spillPath');
  });

  it('whose file cannot be removed goes on without it (132)', async () => {
    const answer = await ask('unlink', 10);
    expect(answer).toMatchObject({ ...undisturbed, report: { spill: 'discarded' }, files: 1 });
    expect(answer).not.toHaveProperty('spillPath');
  });

  it('that finds a file at its path leaves that one alone (136)', async () => {
    const answer = await ask('entropy', 1000);
    expect(answer).toMatchObject({ ...undisturbed, report: { spill: 'failed', spillError: { code: 'EEXIST', syscall: 'open' } }, foreign: 'foreign' });
    expect(answer).not.toHaveProperty('spillPath');
  });

  it('leaves its directory at the end of the process only if there is something in it (138)', async () => {
    await askHost('spill-exit.mjs', [place, 'remove']);
    expect(readdirSync(place)).toEqual([]);
    const { spillPath } = await askHost<{ spillPath: string }>('spill-exit.mjs', [place, 'keep']);
    expect(readdirSync(place, { recursive: true })).toHaveLength(2);
    expect(spillPath.startsWith(place)).toBe(true);
  });
});

describe('a read', () => {
  it('has no key spillPath when there is no file: no option, no overflow, or given up (117)', async () => {
    const runtime = new LocalSubprocessRuntime({ spillDirectory: place });
    for (const stdout of [{ maxBytes: 1 }, { maxBytes: 100, spill: { maxBytes: 1000 } }, { maxBytes: 1, spill: { maxBytes: 2 } }]) {
      const handle = runtime.spawn({ argv: ['/bin/echo', 'text'], cwd: '/', graceMs: 1000, stdio: { stdin: 'ignore', stdout, stderr: { maxBytes: 1 } } });
      await handle.done;
      expect(Object.keys(handle.collected.stdout.readFrom(0))).toEqual(['text', 'nextOffset', 'lossy']);
      await handle.waitForExit();
    }
    await runtime.dispose();
  });
});
