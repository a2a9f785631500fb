import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { askHost } from '../support/host.ts';
import { dummy } from '../support/paths.ts';
import { ownMounts, withoutOverride } from '../support/privilege.ts';
import { pattern } from '../support/pattern.ts';
import { openFiles } from '../support/proc.ts';
import { waitUntil } from '../support/until.ts';

const fence = leakFence();
let place: string;
let runtime: LocalSubprocessRuntime;
beforeEach(() => {
  place = mkdtempSync(join(fence.directory, 'spill-'));
  runtime = new LocalSubprocessRuntime({ spillDirectory: place });
});
afterEach(async () => {
  await runtime.dispose();
  rmSync(place, { recursive: true, force: true });
});

function spilling(argv: readonly string[], maxBytes = 1000, cap = 1 << 30, of = runtime) {
  const output = { maxBytes, spill: { maxBytes: cap } };
  return of.spawn({ argv, cwd: fence.directory, graceMs: 5000, stdio: { stdin: 'ignore', stdout: output, stderr: output } });
}

/** All files below the spill directory. */
function files(): string[] {
  return readdirSync(place, { recursive: true, withFileTypes: true, encoding: 'utf8' }).filter((one) => one.isFile()).map((one) => one.name);
}

describe('a spill file', () => {
  it('is not made for output that the tail holds (122, 126)', async () => {
    const handle = spilling(dummy('write', 1, 1000, 100, 0));
    await handle.done;
    expect(handle.collected.stdout.readFrom(0)).toEqual({ text: pattern(0, 1000), nextOffset: 1000, lossy: false });
    expect(handle.report().streams.stdout?.spill).toBe('none');
    expect(readdirSync(place)).toEqual([]);
  });

  it('is not made without the option, whatever the size (123)', async () => {
    const handle = runtime.spawn({ argv: dummy('write', 1, 100_000, 1000, 0), cwd: '/', graceMs: 5000, stdio: { stdin: 'ignore', stdout: { maxBytes: 10 }, stderr: { maxBytes: 10 } } });
    await handle.done;
    expect('spillPath' in handle.collected.stdout.readFrom(0)).toBe(false);
    expect(readdirSync(place)).toEqual([]);
  });

  it('holds the whole stream from byte 0 once the tail has overflowed (122)', async () => {
    const handle = spilling(dummy('write', 1, 1001, 77, 0));
    await handle.done;
    const read = handle.collected.stdout.readFrom(0);
    expect(read).toMatchObject({ text: pattern(1, 1001), nextOffset: 1001, lossy: true });
    expect(readFileSync(read.spillPath as string, 'latin1')).toBe(pattern(0, 1001));
    expect(handle.report().streams.stdout).toMatchObject({ spill: 'complete', spillPath: read.spillPath, bytes: 1001, retained: 1000 });
    expect(handle.collected.stdout.readBytes(0).spillPath).toBe(read.spillPath);
  });

  it('of 64 MiB behind a tail of 1 MiB is complete (140)', async () => {
    const size = 64 << 20;
    const handle = spilling(dummy('write', 1, size, 65_536, 0), 1 << 20);
    await handle.done;
    const path = handle.collected.stdout.readFrom(0).spillPath as string;
    expect(readFileSync(path, 'latin1') === pattern(0, size)).toBe(true);
    expect(handle.collected.stdout.readFrom(size - (1 << 20)).text === pattern(size - (1 << 20), size)).toBe(true);
  });

  it('is private: 0600, in a directory of 0700 with an unguessable name; its own says process and stream (124, 125)', async () => {
    const handle = spilling(['/bin/sh', '-c', 'head -c 2000 /dev/zero; head -c 3000 /dev/zero >&2']);
    await handle.done;
    const paths = [handle.collected.stdout.readFrom(0).spillPath as string, handle.collected.stderr.readFrom(0).spillPath as string];
    for (const [index, path] of paths.entries()) {
      expect(statSync(path).mode & 0o7777).toBe(0o600);
      expect(statSync(path).uid).toBe(process.getuid?.());
      expect(basename(path)).toContain(index === 0 ? 'stdout' : 'stderr');
      expect(statSync(path).size).toBe(index === 0 ? 2000 : 3000);
    }
    const directory = dirname(paths[0] as string);
    expect(dirname(directory)).toBe(place);
    expect(statSync(directory).mode & 0o7777).toBe(0o700);
    expect(basename(directory)).toMatch(new RegExp(`^holdfast-.*${process.pid}`));
  });

  it('together with the window is the complete stream at every moment of a running command (129)', async () => {
    const handle = spilling(dummy('write', 1, 200_000, 1000, 2), 5000);
    const { stdout } = handle.collected;
    let looked = 0;
    for (let offset = 0; await stdout.changed(offset, { bytes: true }); looked++) {
      const { bytes, nextOffset, spillPath } = stdout.readBytes(0);
      const windowStart = nextOffset - bytes.length;
      offset = nextOffset;
      expect(Buffer.from(bytes).toString('latin1') === pattern(windowStart, nextOffset)).toBe(true);
      if (windowStart === 0) continue;
      const file = readFileSync(spillPath as string, 'latin1');
      expect(file.length).toBeGreaterThanOrEqual(windowStart);
      expect(file === pattern(0, file.length)).toBe(true);
    }
    expect(looked).toBeGreaterThan(5);
    await handle.done;
  });

  it('is complete and closed by the time done resolves (130)', async () => {
    const before = openFiles();
    const handle = spilling(dummy('write', 1, 500_000, 1000, 0));
    await handle.done;
    expect(openFiles().filter((one) => one.endsWith('.log'))).toEqual([]);
    expect(statSync(handle.collected.stdout.readFrom(0).spillPath as string).size).toBe(500_000);
    await handle.waitForExit();
    await waitUntil('descriptors as before', () => openFiles().length <= before.length);
  });

  it('is deleted when the stream outgrows its cap; the tail goes on and the reads say so (127)', async () => {
    const handle = spilling(dummy('write', 1, 100_000, 500, 0), 1000, 20_000);
    await handle.done;
    const read = handle.collected.stdout.readFrom(0);
    expect(read).toEqual({ text: pattern(99_000, 100_000), nextOffset: 100_000, lossy: true });
    expect(handle.report().streams.stdout).toMatchObject({ spill: 'discarded', bytes: 100_000 });
    expect('spillPath' in (handle.report().streams.stdout ?? {})).toBe(false);
    expect(files()).toEqual([]);
  });

  it('stays when the stream is exactly as long as its cap', async () => {
    const handle = spilling(dummy('write', 1, 20_000, 500, 0), 1000, 20_000);
    await handle.done;
    expect(statSync(handle.collected.stdout.readFrom(0).spillPath as string).size).toBe(20_000);
  });

  it('is never made when the first overflow is beyond the cap already (128)', async () => {
    const handle = spilling(dummy('write', 1, 5000, 5000, 0), 1000, 500);
    await handle.done;
    expect(handle.collected.stdout.readFrom(0)).toEqual({ text: pattern(4000, 5000), nextOffset: 5000, lossy: true });
    expect(handle.report().streams.stdout?.spill).toBe('discarded');
    expect(files()).toEqual([]);
  });
});

describe('a spill that fails', () => {
  it('because its directory cannot be made leaves the tail whole and says so once, in the report (65, 133, 134)', async () => {
    const file = join(place, 'a-file');
    writeFileSync(file, '');
    const blocked = new LocalSubprocessRuntime({ spillDirectory: join(file, 'below') });
    const handle = spilling(dummy('write', 1, 50_000, 1000, 0), 1000, 1 << 20, blocked);
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
    expect(handle.collected.stdout.readFrom(0)).toEqual({ text: pattern(49_000, 50_000), nextOffset: 50_000, lossy: true });
    expect(handle.report().streams.stdout).toMatchObject({ spill: 'failed', spillError: { code: 'ENOTDIR' } });
    await blocked.dispose();
  });

  it('that is removed while it is written is not named as complete', async () => {
    // Waits for its input before the second half, so that the removal lies between.
    const output = { maxBytes: 1000, spill: { maxBytes: 1 << 20 } };
    const handle = runtime.spawn({ argv: ['/bin/sh', '-c', 'seq 1000; read line; seq 1000'], cwd: '/', graceMs: 5000, stdio: { stdin: 'pipe', stdout: output, stderr: output } });
    const path = await waitUntil('the file is named', () => handle.collected.stdout.readFrom(0).spillPath);
    rmSync(dirname(path), { recursive: true });
    handle.stdin.end('\n');
    await handle.done;
    expect(handle.collected.stdout.readFrom(0).spillPath).toBeUndefined();
    expect(handle.report().streams.stdout).toMatchObject({ spill: 'failed', spillError: { code: 'ENOENT' } });
  });

  it('because the directory is gone makes it again, private (137)', async () => {
    const first = spilling(dummy('write', 1, 5000, 500, 0));
    await first.done;
    rmSync(dirname(first.collected.stdout.readFrom(0).spillPath as string), { recursive: true });
    const second = spilling(dummy('write', 1, 5000, 500, 0));
    await second.done;
    const path = second.collected.stdout.readFrom(0).spillPath as string;
    expect(readFileSync(path, 'latin1')).toBe(pattern(0, 5000));
    expect(statSync(dirname(path)).mode & 0o7777).toBe(0o700);
    expect(first.collected.stdout.readFrom(0).text).toBe(pattern(4000, 5000));
  });

  it('because the directory is not there names the path that could not be made (65, 133, 134)', async () => {
    const missing = join(place, 'missing');
    const blocked = new LocalSubprocessRuntime({ spillDirectory: missing });
    const handle = spilling(dummy('write', 1, 50_000, 1000, 0), 1000, 1 << 20, blocked);
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
    const { spill, spillError } = handle.report().streams.stdout ?? {};
    expect(spill).toBe('failed');
    expect(spillError).toMatchObject({ code: 'ENOENT', syscall: 'mkdtemp' });
    expect(spillError?.path).toContain(missing);
    mkdirSync(missing);
    const next = spilling(dummy('write', 1, 50_000, 1000, 0), 1000, 1 << 20, blocked);
    await next.done;
    expect(readFileSync(next.collected.stdout.readFrom(0).spillPath as string, 'latin1')).toBe(pattern(0, 50_000));
    await blocked.dispose();
  });

  it.each(['link', 'directory of everybody', 'file'])('because a %s has taken the place of the directory makes a new one, and touches nothing behind it (124, 137)', async (kind) => {
    const first = spilling(dummy('write', 1, 5000, 500, 0));
    await first.done;
    const directory = dirname(first.collected.stdout.readFrom(0).spillPath as string);
    const elsewhere = mkdtempSync(join(fence.directory, 'elsewhere-'));
    rmSync(directory, { recursive: true });
    if (kind === 'link') symlinkSync(elsewhere, directory);
    else if (kind === 'file') writeFileSync(directory, 'mine');
    else {
      mkdirSync(directory);
      chmodSync(directory, 0o777);
    }
    const second = spilling(dummy('write', 1, 5000, 500, 0));
    await second.done;
    const path = second.collected.stdout.readFrom(0).spillPath as string;
    expect(dirname(path)).not.toBe(directory);
    expect(readFileSync(path, 'latin1')).toBe(pattern(0, 5000));
    expect(lstatSync(dirname(path)).isDirectory()).toBe(true);
    expect(statSync(dirname(path)).mode & 0o7777).toBe(0o700);
    expect(readdirSync(elsewhere)).toEqual([]);
    if (kind === 'directory of everybody') expect(readdirSync(directory)).toEqual([]);
    if (kind === 'file') expect(readFileSync(directory, 'utf8')).toBe('mine');
    rmSync(elsewhere, { recursive: true });
  });

  interface Fault { at: string; outcome: unknown; tail: boolean; next: number; lossy: boolean; path: boolean; whole: boolean; spill: string; error?: { code: string; syscall: string; path: string }; files: string[] }
  const failed = { outcome: { exitCode: 0, signal: null }, tail: true, next: 200_000, lossy: true, path: false, spill: 'failed', files: [] };

  it('because the disk is full, at whatever byte, keeps the last bytes, withdraws the path and names the error (133)', async () => {
    // A limit of file size stands for the disk here: it can be set to the byte, by anybody.
    const sizes = [0, 1, 999, 1000, 1001, 4095, 4096, 4097, 65_535, 65_536, 65_537, 131_072, 199_999, 200_000];
    const { faults, left } = await askHost<{ faults: Fault[]; left: string[] }>('full-disk.mjs', ['limit', place, ...sizes.map(String)]);
    for (const fault of faults.slice(0, -1)) expect(fault).toMatchObject({ ...failed, error: { code: 'EFBIG', syscall: 'write' } });
    expect(faults.at(-1)).toMatchObject({ path: true, whole: true, tail: true, spill: 'complete' });
    expect(left).toEqual([]);
  });

  it('because a small file system is full, of bytes or of files, does the same; a read-only one has no file at all (133)', async () => {
    const { faults, left } = await askHost<{ faults: Fault[]; left: string[] }>('full-disk.mjs', ['mount', place, 'size=4k', 'size=64k', 'size=128k', 'nr_inodes=1', 'nr_inodes=2', 'ro', 'size=1m'], { wrap: ownMounts });
    const codes = faults.map((fault) => `${fault.at}: ${fault.error?.code ?? 'none'} ${fault.error?.syscall ?? ''}`);
    expect(codes).toEqual([
      'size=4k: ENOSPC write', 'size=64k: ENOSPC write', 'size=128k: ENOSPC write', 'nr_inodes=1: ENOSPC mkdtemp', 'nr_inodes=2: ENOSPC open', 'ro: EROFS mkdtemp', 'size=1m: none ',
    ]);
    for (const fault of faults.slice(0, -1)) expect(fault).toMatchObject(failed);
    expect(faults.at(-1)).toMatchObject({ path: true, whole: true, spill: 'complete' });
    expect(left).toEqual([]);
  });

  it('because the directory may not be written does the same (133)', async () => {
    const { faults } = await askHost<{ faults: Fault[] }>('full-disk.mjs', ['mode', place, '555', '700'], { wrap: withoutOverride });
    expect(faults[0]).toMatchObject({ ...failed, error: { code: 'EACCES', syscall: 'mkdtemp' } });
    expect(faults[1]).toMatchObject({ path: true, whole: true, spill: 'complete' });
  });
});

describe('the life of spill files', () => {
  it('goes beyond the runtime by default, because somebody may have the path (139)', async () => {
    const handle = spilling(dummy('write', 1, 5000, 500, 0));
    await handle.done;
    await runtime.dispose();
    expect(readFileSync(handle.collected.stdout.readFrom(0).spillPath as string, 'latin1')).toBe(pattern(0, 5000));
  });

  it('ends with the runtime where that was asked for, and with it the directory (139)', async () => {
    const tidy = new LocalSubprocessRuntime({ spillDirectory: place, removeSpillOnDispose: true });
    const handle = spilling(dummy('write', 1, 5000, 500, 0), 1000, 1 << 20, tidy);
    await handle.done;
    const path = handle.collected.stdout.readFrom(0).spillPath as string;
    expect(existsSync(path)).toBe(true);
    await tidy.dispose();
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(place)).toEqual([]);
    expect('spillPath' in handle.collected.stdout.readFrom(0)).toBe(false);
  });

  it('ends by age at the next start where that was asked for; what is young, foreign or in use stays (139)', async () => {
    const old = await askHost<{ path: string }>('leaves-spill.mjs', [place]);
    const young = await askHost<{ path: string }>('leaves-spill.mjs', [place]);
    const mine = spilling(dummy('write', 1, 5000, 500, 0));
    await mine.done;
    const minePath = mine.collected.stdout.readFrom(0).spillPath as string;
    mkdirSync(join(place, 'somebody-else'));
    const foreign = join(place, 'somebody-else/file.log');
    writeFileSync(foreign, '');
    const anHourAgo = new Date(Date.now() - 3_600_000);
    for (const path of [old.path, dirname(old.path), minePath, foreign]) utimesSync(path, anHourAgo, anHourAgo);

    const sweeping = new LocalSubprocessRuntime({ spillDirectory: place, spillMaxAgeMs: 60_000 });
    const handle = spilling(dummy('exit', 0), 1000, 1000, sweeping);
    await handle.done;
    await waitUntil('the old spill is removed', () => !existsSync(old.path));
    expect([young.path, minePath, foreign].map((path) => existsSync(path))).toEqual([true, true, true]);
    await sweeping.dispose();
  });
});
