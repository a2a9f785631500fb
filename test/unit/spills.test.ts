import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { spillPrefix, sweepSpills } from '../../src/runtime/spills.ts';
import { fakeRuntime, spec } from './support/fake-binding.ts';

let place: string;
beforeEach(() => { place = mkdtempSync(join(tmpdir(), 'holdfast-spills-')); });
afterEach(() => rmSync(place, { recursive: true }));

/** No process has this id: Linux's highest is 2 ** 22. */
const GONE = 2 ** 30;

function spill(directory: string, { ageMs = 100_000, mode = 0o700 } = {}): string {
  const path = join(place, directory);
  mkdirSync(path, { mode });
  chmodSync(path, mode);
  const file = join(path, 'a-stdout.log');
  writeFileSync(file, 'x');
  const when = (Date.now() - ageMs) / 1000;
  utimesSync(file, when, when);
  return file;
}

describe('old spill files', () => {
  it('are removed with their directory', async () => {
    spill(`holdfast-${GONE}-abcDEF`);
    await sweepSpills(place, 'holdfast-', 50_000);
    expect(readdirSync(place)).toEqual([]);
  });

  it.each([
    ['that are younger', `holdfast-${GONE}-abcdef`, { ageMs: 10_000 }],
    ['of a process that is alive', `holdfast-${process.pid}-abcdef`, {}],
    ['of another prefix', `dsh-${GONE}-abcdef`, {}],
    ['without a random part', `holdfast-${GONE}`, {}],
    ['in a directory that others may enter', `holdfast-${GONE}-abcdef`, { mode: 0o755 }],
  ])('%s stay', async (_, directory, facts) => {
    const file = spill(directory, facts);
    await sweepSpills(place, 'holdfast-', 50_000);
    expect(existsSync(file)).toBe(true);
  });

  it('are not looked for through a link', async () => {
    const file = spill('elsewhere');
    symlinkSync(join(place, 'elsewhere'), join(place, `holdfast-${GONE}-abcdef`));
    await sweepSpills(place, 'holdfast-', 50_000);
    expect(existsSync(file)).toBe(true);
  });

  it('are looked for at the first spawn, and a directory that is not there is no failure', async () => {
    const file = spill(`holdfast-${GONE}-abcdef`);
    const { binding, runtime } = fakeRuntime({ spillDirectory: place, spillMaxAgeMs: 0 });
    runtime.spawn(spec);
    await expect.poll(() => existsSync(file)).toBe(false);
    binding.finish(1);
    await runtime.dispose();
    await sweepSpills(join(place, 'missing'), 'holdfast-', 0);
  });
});

describe('removeSpillOnDispose', () => {
  const stdio = { ...spec.stdio, stdout: { maxBytes: 10, spill: { maxBytes: 100 } } } as const;

  function start(removeSpillOnDispose: boolean) {
    const file = spill(`holdfast-${process.pid}-abcdef`);
    const warnings: string[] = [];
    const { binding, runtime } = fakeRuntime({ spillDirectory: place, removeSpillOnDispose, onWarning: (message) => warnings.push(message) });
    const handle = runtime.spawn({ ...spec, stdio });
    binding.lastRange.facts = { stdout: { bytes: 50, retained: 10, spill: 'complete', spillPath: file } };
    binding.finish(1);
    return { file, runtime, handle, warnings };
  }

  it('removes the files and the empty directory, and reads stop naming them', async () => {
    const { file, runtime, handle } = start(true);
    expect(handle.collected.stdout.readFrom(0).spillPath).toBe(file);
    await runtime.dispose();
    expect(readdirSync(place)).toEqual([]);
    expect('spillPath' in handle.collected.stdout.readFrom(0)).toBe(false);
    expect(handle.report().streams.stdout).toEqual({ bytes: 50, retained: 10, spill: 'complete' });
  });

  it('is off by default: whoever has the path may read it later', async () => {
    const { file, runtime, handle } = start(false);
    await runtime.dispose();
    expect(existsSync(file)).toBe(true);
    expect(handle.collected.stdout.readFrom(0).spillPath).toBe(file);
  });

  it('takes a file that is gone already as removed, and warns of one that cannot be removed', async () => {
    const gone = start(true);
    rmSync(join(gone.file, '..'), { recursive: true });
    await gone.runtime.dispose();
    expect(gone.warnings).toEqual([]);
    const odd = start(true);
    rmSync(odd.file);
    mkdirSync(odd.file);
    await odd.runtime.dispose();
    expect(odd.warnings).toEqual([expect.stringContaining('could not be removed')]);
  });
});

it('the directory is named after the prefix', () => {
  expect([spillPrefix('HOLDFAST_'), spillPrefix('DSH_'), spillPrefix('X')]).toEqual(['holdfast-', 'dsh-', 'x-']);
});
