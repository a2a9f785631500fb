import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { compose, type Composition } from '../../support/dsh.ts';
import { leakFence } from '../../support/fence.ts';
import { askHost } from '../../support/host.ts';
import { dummy, root } from '../../support/paths.ts';
import { pattern } from '../../support/pattern.ts';
import { openFiles } from '../../support/proc.ts';

const fence = leakFence();
let host: Composition;
let place: string;
beforeEach(async () => {
  place = mkdtempSync(join(fence.directory, 'spill-'));
  vi.stubEnv('TMPDIR', place);
  host = await compose();
});
afterEach(async () => {
  await host.dispose();
  vi.unstubAllEnvs();
  rmSync(place, { recursive: true, force: true });
});

function spilling(argv: readonly string[], maxBytes = 1000, cap = 1 << 30) {
  const output = { maxBytes, spill: { maxBytes: cap } };
  return host.subprocess.spawn({ argv, cwd: '/', graceMs: 3000, stdio: { stdin: 'ignore', stdout: output, stderr: output } });
}

async function spilled(total: number, maxBytes?: number, cap?: number) {
  const handle = spilling(dummy('write', 1, total, 997, 0), maxBytes, cap);
  await handle.done;
  await handle.waitForExit();
  return handle.collected.stdout.readFrom(0);
}

const files = (): string[] => readdirSync(place, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).map((one) => one.name);

interface Answer {
  outcome: unknown;
  nextOffset: number;
  spillPath?: string;
  left: string[];
  files: number;
  foreign?: string;
  logged: { type: string; message: string; code: string }[];
}
/** A composition under faults of its file system. */
const underFault = (fault: string, cap: number): Promise<Answer> => askHost('spill-fault.mjs', [place, String(cap)], {
  env: { LD_PRELOAD: `${root}build/test/spill-faults.so`, SPILL_FAULT: fault, HOLDFAST_TEST_PROVIDER: 'dsh' },
});
const undisturbed = { outcome: { exitCode: 0, signal: null }, nextOffset: 12, left: [] };

describe('J. spill', () => {
  it('122, 126: a file and its directory are made when the tail overflows, and hold everything from byte 0', async () => {
    expect(await spilled(1000)).not.toHaveProperty('spillPath');
    expect(readdirSync(place)).toEqual([]);
    const { spillPath } = await spilled(1001);
    expect(readFileSync(spillPath as string, 'latin1')).toBe(pattern(0, 1001));
  });

  it('123: without the option there is never a file', async () => {
    const handle = host.subprocess.spawn({ argv: dummy('write', 1, 100_000, 1000, 0), cwd: '/', graceMs: 3000, stdio: { stdin: 'ignore', stdout: { maxBytes: 10 }, stderr: { maxBytes: 10 } } });
    await handle.done;
    expect(readdirSync(place)).toEqual([]);
    await handle.waitForExit();
  });

  it('124, 125: 0600 in a directory of 0700, named after process and stream with a random part', async () => {
    const path = (await spilled(2000)).spillPath as string;
    expect(basename(path)).toMatch(new RegExp(`^dsh-subprocess-${process.pid}-\\d+-[0-9a-f]{12}-stdout\\.log$`));
    expect(basename(dirname(path))).toMatch(/^dsh-subprocess-(\d+-)?\w{6}$/);
    expect(dirname(dirname(path))).toBe(place);
    expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it('127: over its cap it is removed and withdrawn, and the tail goes on', async () => {
    expect(await spilled(50_000, 1000, 5000)).toEqual({ text: pattern(49_000, 50_000), nextOffset: 50_000, lossy: true });
    expect(files()).toEqual([]);
  });

  it('128: a first overflow that is above the cap already leaves no file', async () => {
    const handle = spilling(dummy('write', 1, 5000, 5000, 0), 10, 20);
    await handle.done;
    expect('spillPath' in handle.collected.stdout.readFrom(0)).toBe(false);
    expect(files()).toEqual([]);
    await handle.waitForExit();
  });

  it('129: while it runs, window and file together are everything received', async () => {
    const handle = spilling(['/bin/sh', '-c', 'head -c 5000 /dev/zero; echo end; sleep 30'], 100);
    while (handle.collected.stdout.readFrom(0).nextOffset < 5004) await handle.collected.stdout.changed(handle.collected.stdout.readFrom(0).nextOffset);
    const { spillPath, nextOffset, text } = handle.collected.stdout.readFrom(0);
    const inFile = readFileSync(spillPath as string);
    expect(inFile.length).toBeGreaterThanOrEqual(nextOffset - 100);
    expect(text.endsWith('end\n')).toBe(true);
    handle.terminate();
    await handle.waitForExit();
  });

  it('130: its descriptor is closed when done resolves', async () => {
    const handle = spilling(dummy('write', 1, 5000, 500, 0));
    await handle.done;
    expect(openFiles().filter((one) => one.startsWith(place))).toEqual([]);
    await handle.waitForExit();
  });

  it('131: a file that cannot be closed is withdrawn, and done is what it is', async () => {
    const answer = await underFault('close', 1000);
    expect(answer).toMatchObject({ ...undisturbed, files: 0 });
    expect(answer).not.toHaveProperty('spillPath');
  });

  it('132: a file that cannot be removed does not disturb the stream', async () => {
    const answer = await underFault('unlink', 10);
    expect(answer).toMatchObject(undisturbed);
    expect(answer).not.toHaveProperty('spillPath');
  });

  it('133, 134: a file that cannot be made costs one line of the log, which names the stream and carries the error', async () => {
    vi.stubEnv('TMPDIR', '/proc/no/such');
    expect(await spilled(5000)).toEqual({ text: pattern(4000, 5000), nextOffset: 5000, lossy: true });
    expect(host.logged).toEqual([{ type: 'error', args: [
      expect.stringMatching(/^subprocess-local could not write the complete stdout stream to its spill file; .*cleaner of temporary files/) as string,
      expect.objectContaining({ code: 'ENOENT' }) as Error,
    ] }]);
  });

  it('135: a logger that throws is contained', async () => {
    host.ctx.logger.exporter({ export: () => { throw new Error('logger'); } });
    vi.stubEnv('TMPDIR', '/proc/no/such');
    expect((await spilled(5000)).nextOffset).toBe(5000);
  });

  it('136: a file that is there already is not touched', async () => {
    const answer = await underFault('entropy', 1000);
    expect(answer).toMatchObject({ ...undisturbed, foreign: 'foreign', logged: [{ type: 'error', code: 'EEXIST', message: expect.stringContaining('stdout') as string }] });
  });

  it('137: a directory that has vanished is made again', async () => {
    const first = (await spilled(5000)).spillPath as string;
    rmSync(dirname(first), { recursive: true });
    const { spillPath } = await spilled(5000);
    expect(statSync(dirname(spillPath as string)).mode & 0o777).toBe(0o700);
    expect(existsSync(spillPath as string)).toBe(true);
  });

  it('138: the directory goes at the end of the process if it is empty, and only then', async () => {
    const env = { HOLDFAST_TEST_PROVIDER: 'dsh' };
    await askHost('spill-exit.mjs', [place, 'remove'], { env });
    expect(readdirSync(place)).toEqual([]);
    await askHost('spill-exit.mjs', [place, 'keep'], { env });
    expect(files()).toHaveLength(1);
  });

  it('139: files stay at disposal: whoever got the path may read it later', async () => {
    const { spillPath } = await spilled(5000);
    await host.dispose();
    expect(statSync(spillPath as string).size).toBe(5000);
  });

  it('140: 64 MiB through a tail of 1 MiB make a complete file', async () => {
    const size = 64 << 20;
    const handle = spilling(dummy('write', 1, size, 65_536, 0), 1 << 20);
    await handle.done;
    expect(readFileSync(handle.collected.stdout.readFrom(0).spillPath as string, 'latin1') === pattern(0, size)).toBe(true);
    await handle.waitForExit();
  });
});
