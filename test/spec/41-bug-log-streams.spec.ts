// Faults that other tools were reported for, by number and topic: stdin, lost output, text, memory, spill files.
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { provingOwners } from '../support/owners.ts';
import { dummy } from '../support/paths.ts';
import { residentBytes } from '../support/proc.ts';
import { rejection, run, spawnCollecting } from '../support/run.ts';
import { within } from '../support/until.ts';

const fence = leakFence();
const MIB = 1 << 20;
const sh = (script: string, ...args: string[]): string[] => ['/bin/sh', '-c', script, 'sh', ...args];

describe.each(provingOwners)('held by %s', (owner) => {
  const runtime = new LocalSubprocessRuntime({ ownership: owner });
  const collect = (maxBytes: number) => ({ maxBytes });

  it('B023: a command that does not read its input is no error of the host', async () => {
    const before = residentBytes();
    for (const data of ['x'.repeat(32 * MIB), 'x']) {
      const handle = runtime.spawn({ argv: sh('exit 7'), cwd: '/', graceMs: 1000, stdio: { stdin: { data }, stdout: collect(100), stderr: collect(100) } });
      expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: 7, signal: null });
      await handle.waitForExit();
    }
    const piped = runtime.spawn({ argv: sh('exec <&-; echo closed; exec sleep 60'), cwd: '/', graceMs: 1000, stdio: { stdin: 'pipe', stdout: collect(100), stderr: collect(100) } });
    await piped.collected.stdout.changed(0);
    const error = rejection(new Promise((_, reject) => { piped.stdin.once('error', reject); }));
    piped.stdin.write('x'.repeat(MIB));
    expect((await error).code).toBe('EPIPE');
    piped.terminate();
    await piped.waitForExit();
    await piped.done.catch(() => {});
    // Two copies of the text may still wait for the collector; what is kept for ever would be more.
    expect(residentBytes() - before).toBeLessThan(160 * MIB);
  });

  it('B025: no input is the null device or an end at once, never an open pipe', async () => {
    const script = 'echo "$(readlink /proc/self/fd/0)"; cat; echo end';
    expect((await run(runtime, sh('readlink /proc/$$/fd/0; cat; echo end'), '/')).stdout).toBe('/dev/null\nend\n');
    const handle = runtime.spawn({ argv: sh(script), cwd: '/', graceMs: 1000, stdio: { stdin: { data: '' }, stdout: collect(1000), stderr: collect(100) } });
    await within(30_000, 'done', handle.done);
    expect(handle.collected.stdout.readFrom(0).text).toMatch(/^pipe:.*\nend\n$/);
    await handle.waitForExit();
  });

  it('B027: the last bytes of a command that exits at once are there, every time', async () => {
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 8 }, async () => {
        const handle = runtime.spawn({ argv: sh('head -c 1048572 /dev/zero; echo END'), cwd: '/', graceMs: 20_000, stdio: { stdin: 'ignore', stdout: collect(8 * MIB), stderr: collect(100) } });
        expect(await handle.done).toEqual({ exitCode: 0, signal: null });
        const { bytes, nextOffset } = handle.collected.stdout.readBytes(0);
        expect([nextOffset, Buffer.from(bytes.subarray(-4)).toString()]).toEqual([MIB, 'END\n']);
        await handle.waitForExit();
      }));
    }
  });

  it('B030: two streams that the command joins are in its order; apart, each is in its own', async () => {
    const script = 'i=0; while [ $i -lt 200 ]; do echo o$i; echo e$i >&2; i=$((i + 1)); done';
    const lines = (prefix: string): string[] => Array.from({ length: 200 }, (_, at) => `${prefix}${at}`);
    const joined = await run(runtime, sh(`exec 2>&1; ${script}`), '/');
    expect(joined.stdout.trimEnd().split('\n')).toEqual(lines('o').flatMap((out, at) => [out, `e${at}`]));
    const apart = await run(runtime, sh(script), '/');
    expect([apart.stdout.trimEnd().split('\n'), apart.stderr.trimEnd().split('\n')]).toEqual([lines('o'), lines('e')]);
  });

  it('B032: characters that are cut between reads come out whole', async () => {
    const bytes = [...Buffer.from('≤😀|')].map((byte) => byte.toString(16).padStart(2, '0'));
    const handle = spawnCollecting(runtime, dummy('hex', 1, 20, ...bytes), '/');
    let joined = '';
    let offset = 0;
    while (await handle.collected.stdout.changed(offset)) {
      const { text, nextOffset } = handle.collected.stdout.readFrom(offset);
      joined += text;
      offset = nextOffset;
    }
    expect(joined).toBe('≤😀|');
    expect(handle.collected.stdout.readFrom(0).text).toBe(joined);
    await handle.waitForExit();
  });

  it('B034: bytes that are no text fail nothing; the file has them as they were', async () => {
    const place = mkdtempSync(join(fence.directory, 'spill-'));
    const own = new LocalSubprocessRuntime({ ownership: owner, spillDirectory: place });
    const raw = Buffer.from('head\xff\xfemid\xc0\x80\x80tail\n', 'latin1');
    const handle = own.spawn({
      argv: sh('printf "head\\377\\376mid\\300\\200\\200tail\\n"'), cwd: '/', graceMs: 1000,
      stdio: { stdin: 'ignore', stdout: { maxBytes: 8, spill: { maxBytes: MIB } }, stderr: collect(100) },
    });
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
    const { text, nextOffset, lossy, spillPath } = handle.collected.stdout.readFrom(0);
    expect({ nextOffset, lossy }).toEqual({ nextOffset: raw.length, lossy: true });
    expect(text).toMatch(/^\ufffd*tail\n$/);
    expect(readFileSync(spillPath as string)).toEqual(raw);
    expect((await run(own, sh('printf "head\\377\\376mid\\300\\200\\200tail\\n"'), '/')).stdout).toMatch(/^head\ufffd+mid\ufffd+tail\n$/);
    await own.dispose();
    rmSync(place, { recursive: true });
  });

  it('B036: a noisy command costs its tail and no more, and offsets count on beyond 2^32', async () => {
    const before = residentBytes();
    const size = 2 ** 32 + 5 * MIB;
    const handle = runtime.spawn({ argv: sh('head -c "$1" /dev/zero; echo LAST', String(size)), cwd: '/', graceMs: 60_000, stdio: { stdin: 'ignore', stdout: collect(65_536), stderr: collect(100) } });
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
    const { text, nextOffset, lossy } = handle.collected.stdout.readFrom(0);
    expect({ nextOffset, lossy, length: text.length, end: text.slice(-5) }).toEqual({ nextOffset: size + 5, lossy: true, length: 65_536, end: 'LAST\n' });
    expect(residentBytes() - before).toBeLessThan(64 * MIB);
    await handle.waitForExit();
  });

  it('B038: output beyond the tail neither stops nor signals a command', async () => {
    const marker = join(fence.directory, 'finished');
    const handle = runtime.spawn({
      argv: sh('yes out | head -c 3000000; yes err | head -c 3000000 >&2; echo finished > "$1"', marker), cwd: '/', graceMs: 5000,
      stdio: { stdin: 'ignore', stdout: collect(65_536), stderr: collect(65_536) },
    });
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
    expect(existsSync(marker)).toBe(true);
    for (const reader of [handle.collected.stdout, handle.collected.stderr]) {
      const { text, nextOffset, lossy } = reader.readFrom(0);
      expect([text.length, nextOffset, lossy]).toEqual([65_536, 3_000_000, true]);
    }
    await handle.waitForExit();
    rmSync(marker);
  });

  it('B039: each stream has its own limit', async () => {
    const handle = runtime.spawn({
      argv: sh('head -c 700000 /dev/zero; head -c 700000 /dev/zero >&2'), cwd: '/', graceMs: 5000,
      stdio: { stdin: 'ignore', stdout: collect(MIB), stderr: collect(MIB) },
    });
    await handle.done;
    for (const reader of [handle.collected.stdout, handle.collected.stderr]) expect(reader.readFrom(0)).toMatchObject({ nextOffset: 700_000, lossy: false });
    await handle.waitForExit();
  });

  describe('with a spill', () => {
    const spillRun = async (of: LocalSubprocessRuntime, size = 300_000) => {
      const handle = of.spawn({
        argv: sh('yes spill-me | head -c "$1"', String(size)), cwd: '/', graceMs: 5000,
        stdio: { stdin: 'ignore', stdout: { maxBytes: 4096, spill: { maxBytes: MIB } }, stderr: collect(100) },
      });
      expect(await handle.done).toEqual({ exitCode: 0, signal: null });
      await handle.waitForExit();
      return handle.collected.stdout.readFrom(0);
    };

    it('B040: a temp directory that is not there costs the file only, and is looked for when the file is made', async () => {
      const temporary = process.env['TMPDIR'] as string;
      const place = mkdtempSync(join(fence.directory, 'tmp-'));
      try {
        process.env['TMPDIR'] = join(place, 'missing');
        const own = new LocalSubprocessRuntime({ ownership: owner });
        const read = await spillRun(own);
        expect(read).toMatchObject({ lossy: true, nextOffset: 300_000 });
        expect(read.text).toBe('spill-me\n'.repeat(40_000).slice(0, 300_000).slice(-4096));
        expect(read).not.toHaveProperty('spillPath');
        mkdirSync(join(place, 'missing'));
        expect((await spillRun(own)).spillPath?.startsWith(join(place, 'missing'))).toBe(true);
        process.env['TMPDIR'] = place;
        expect(dirname(dirname((await spillRun(own)).spillPath as string))).toBe(place);
        await own.dispose();
      } finally {
        process.env['TMPDIR'] = temporary;
        rmSync(place, { recursive: true });
      }
    });

    it('B042: nobody who plants a name decides where output goes, and nobody else can read it, whatever the umask', async () => {
      const place = mkdtempSync(join(fence.directory, 'planted-'));
      const target = join(place, 'target');
      writeFileSync(target, 'untouched');
      // Every name without a random part that the directory or a file in it could have.
      for (const name of ['holdfast', `holdfast-${process.pid}`, `holdfast-${process.pid}-0-stdout.log`]) symlinkSync(target, join(place, name));
      mkdirSync(join(place, `holdfast-${process.pid}-`));
      chmodSync(join(place, `holdfast-${process.pid}-`), 0o777);
      const umask = process.umask(0);
      try {
        const own = new LocalSubprocessRuntime({ ownership: owner, spillDirectory: place });
        const { spillPath = '' } = await spillRun(own);
        expect([lstatSync(dirname(spillPath)).mode & 0o7777, lstatSync(spillPath).mode & 0o7777]).toEqual([0o700, 0o600]);
        expect([lstatSync(dirname(spillPath)).uid, lstatSync(spillPath).isFile()]).toEqual([process.getuid?.(), true]);
        await own.dispose();
      } finally {
        process.umask(umask);
      }
      expect(readFileSync(target, 'utf8')).toBe('untouched');
      expect(readdirSync(join(place, `holdfast-${process.pid}-`))).toEqual([]);
      expect(statSync(target).size).toBe(9);
      rmSync(place, { recursive: true });
    });

    it('B044: commands with little output leave nothing in the temp directory, and all others one directory', async () => {
      const place = mkdtempSync(join(fence.directory, 'quiet-'));
      const own = new LocalSubprocessRuntime({ ownership: owner, spillDirectory: place });
      await Promise.all(Array.from({ length: 100 }, () => spillRun(own, 10)));
      expect(readdirSync(place)).toEqual([]);
      await Promise.all(Array.from({ length: 10 }, () => spillRun(own)));
      expect(readdirSync(place)).toHaveLength(1);
      await own.dispose();
      rmSync(place, { recursive: true });
    });
  });
});
