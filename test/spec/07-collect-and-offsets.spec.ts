import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { dummy } from '../support/paths.ts';
import { pattern } from '../support/pattern.ts';
import { end, residentBytes } from '../support/proc.ts';
import { collecting, line } from '../support/run.ts';
import { within } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();

function withTail(maxBytes: number, argv: readonly string[], stderrBytes = maxBytes) {
  return runtime.spawn({ argv, cwd: fence.directory, graceMs: 5000, stdio: { stdin: 'ignore', stdout: { maxBytes }, stderr: { maxBytes: stderrBytes } } });
}

describe('the tail', () => {
  it.each([
    [1, 1, 1], [10, 9, 3], [10, 10, 3], [10, 11, 3], [100, 5000, 7], [1000, 5000, 5000], [1024, 1024, 1024], [1024, 1025, 1],
    [4096, 200_000, 4096], [65_536, 65_536, 65_536], [65_537, 300_000, 1000], [1_000_003, 5_000_000, 65_536],
  ])('of %i bytes holds exactly the last of %i, written %i at a time (101, 102, 103)', async (maxBytes, total, chunk) => {
    const handle = withTail(maxBytes, dummy('write', 1, total, chunk, 0));
    await handle.done;
    const from = Math.max(0, total - maxBytes);
    const read = handle.collected.stdout.readFrom(0);
    expect(read.text === pattern(from, total)).toBe(true);
    expect(read).toMatchObject({ nextOffset: total, lossy: from > 0 });
    expect('spillPath' in read).toBe(false);
    expect(handle.report().streams.stdout).toMatchObject({ bytes: total, retained: total - from, spill: 'none' });
  });

  it('of no bytes keeps nothing, counts everything, and is lossy as soon as anything came (105)', async () => {
    const handle = withTail(0, dummy('write', 1, 100_000, 1000, 0));
    await handle.done;
    expect(handle.collected.stdout.readFrom(0)).toEqual({ text: '', nextOffset: 100_000, lossy: true });
    expect(handle.collected.stdout.readFrom(100_000)).toEqual({ text: '', nextOffset: 100_000, lossy: false });
    expect(handle.collected.stderr.readFrom(0)).toEqual({ text: '', nextOffset: 0, lossy: false });
  });

  it('is each stream\'s own (104)', async () => {
    const handle = withTail(4, ['/bin/sh', '-c', 'printf 123456; printf abcdef >&2'], 1000);
    await handle.done;
    expect(handle.collected.stdout.readFrom(0)).toEqual({ text: '3456', nextOffset: 6, lossy: true });
    expect(handle.collected.stderr.readFrom(0)).toEqual({ text: 'abcdef', nextOffset: 6, lossy: false });
  });

  it('may be larger than any output: memory follows the output, not the limit', async () => {
    const before = residentBytes();
    const handles = Array.from({ length: 50 }, () => withTail(1 << 30, dummy('lines', 10)));
    await Promise.all(handles.map((one) => one.done));
    for (const handle of handles) expect(handle.collected.stdout.readFrom(0).nextOffset).toBe(150);
    expect(residentBytes() - before).toBeLessThan(64 << 20);
  });

  it('stays its size while a stream of 300 MB goes by (memory flat)', async () => {
    const handle = withTail(1 << 20, ['/usr/bin/head', '-c', '300000000', '/dev/zero']);
    const before = residentBytes();
    let most = 0;
    const watch = setInterval(() => { most = Math.max(most, residentBytes()); }, 5);
    await within(30_000, 'done', handle.done);
    clearInterval(watch);
    expect(handle.collected.stdout.readFrom(0)).toMatchObject({ nextOffset: 300_000_000, lossy: true });
    expect(most - before).toBeLessThan(32 << 20);
  });
});

describe('offsets', () => {
  it('count bytes of the whole stream, not characters (108, 113)', async () => {
    const handle = withTail(1000, dummy('hex', 1, 0, 'c3a9', 'e4b896', 'f09f8ea3', '61'));
    await handle.done;
    const reader = handle.collected.stdout;
    expect(reader.readFrom(0)).toEqual({ text: 'é世🎣a', nextOffset: 10, lossy: false });
    expect(reader.readFrom(2)).toEqual({ text: '世🎣a', nextOffset: 10, lossy: false });
    expect(reader.readFrom(9)).toEqual({ text: 'a', nextOffset: 10, lossy: false });
  });

  it('belong to the reader: reading takes nothing away, and readers do not disturb each other (109)', async () => {
    const handle = withTail(1000, dummy('lines', 5));
    await handle.done;
    const reader = handle.collected.stdout;
    const all = reader.readFrom(0).text;
    expect(reader.readFrom(0).text).toBe(all);
    expect(reader.readFrom(15).text).toBe(all.slice(15));
    expect(reader.readFrom(0).text).toBe(all);
  });

  it('before the window are lossy, whatever they are, and give the whole tail (107)', async () => {
    const handle = withTail(100, dummy('write', 1, 1000, 10, 0));
    await handle.done;
    const reader = handle.collected.stdout;
    for (const from of [0, 1, 899]) expect(reader.readFrom(from)).toEqual({ text: pattern(900, 1000), nextOffset: 1000, lossy: true });
    expect(reader.readFrom(900)).toEqual({ text: pattern(900, 1000), nextOffset: 1000, lossy: false });
    expect(reader.readFrom(999)).toEqual({ text: pattern(999, 1000), nextOffset: 1000, lossy: false });
  });

  it('at and beyond the end give nothing and are not lossy (111, 112)', async () => {
    const handle = withTail(100, dummy('write', 1, 1000, 10, 0));
    await handle.done;
    for (const from of [1000, 1001, Number.MAX_SAFE_INTEGER]) {
      expect(handle.collected.stdout.readFrom(from)).toEqual({ text: '', nextOffset: 1000, lossy: false });
      expect(handle.collected.stdout.readBytes(from)).toEqual({ bytes: new Uint8Array(0), nextOffset: 1000, lossy: false });
    }
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '0', undefined])('that are no byte offsets, such as %s, throw a RangeError (112)', async (from) => {
    const handle = withTail(100, dummy('exit', 0));
    for (const read of [() => handle.collected.stdout.readFrom(from as never), () => handle.collected.stdout.readBytes(from as never)]) {
      expect(read).toThrow(RangeError);
      expect(read).toThrow(expect.objectContaining({ code: 'ERR_OUT_OF_RANGE' }));
    }
    await handle.done;
  });

  it('make incremental reads that join to the whole stream (110)', async () => {
    const handle = withTail(1 << 20, dummy('write', 1, 300_000, 999, 0));
    const reader = handle.collected.stdout;
    let text = '';
    let offset = 0;
    while (await reader.changed(offset)) {
      const read = reader.readFrom(offset);
      expect(read.lossy).toBe(false);
      text += read.text;
      offset = read.nextOffset;
    }
    expect(text === pattern(0, 300_000)).toBe(true);
    await handle.done;
  });

  it('let a reader that is slower than a fast producer see only true bytes', async () => {
    const total = 40_000_000;
    const handle = withTail(100_000, dummy('write', 1, total, 65_536, 0));
    const reader = handle.collected.stdout;
    let reads = 0;
    for (let offset = 0; await reader.changed(offset, { bytes: true }); reads++) {
      const { bytes, nextOffset } = reader.readBytes(offset);
      const start = nextOffset - bytes.length;
      expect(start).toBeGreaterThanOrEqual(offset);
      if (Buffer.from(bytes).toString('latin1') !== pattern(start, nextOffset)) throw new Error(`wrong bytes between ${start} and ${nextOffset}`);
      offset = nextOffset;
    }
    await handle.done;
    expect(reads).toBeGreaterThan(3);
    expect(reader.readFrom(total - 100_000)).toEqual({ text: pattern(total - 100_000, total), nextOffset: total, lossy: false });
  });
});

describe('a reader', () => {
  it('shows output while the command runs, and after it, and after disposal (106, 118)', async () => {
    const short = new LocalSubprocessRuntime();
    const handle = short.spawn(collecting(dummy('trap-term', 0), fence.directory));
    expect(await line(handle)).toBe('ready');
    await short.dispose();
    expect(handle.collected.stdout.readFrom(0)).toEqual({ text: 'ready\nhandled\n', nextOffset: 14, lossy: false });
  });

  it('gives bytes as they are, and a copy that is the caller\'s', async () => {
    const handle = withTail(100, dummy('hex', 1, 0, '00ff80', 'c3'));
    await handle.done;
    const first = handle.collected.stdout.readBytes(0);
    expect([...first.bytes]).toEqual([0x00, 0xff, 0x80, 0xc3]);
    first.bytes.fill(1);
    expect([...handle.collected.stdout.readBytes(1).bytes]).toEqual([0xff, 0x80, 0xc3]);
  });

  it('of an empty stream gives nothing, at offset 0 (119)', async () => {
    const handle = withTail(100, dummy('exit', 0));
    await handle.done;
    expect(handle.collected.stdout.readFrom(0)).toEqual({ text: '', nextOffset: 0, lossy: false });
  });

  it('gets nothing that was written after collection was sealed (144)', async () => {
    const handle = runtime.spawn({ ...collecting(dummy('holder', 'late', 0), fence.directory), graceMs: 200 });
    await handle.done;
    const sealed = handle.collected.stdout.readFrom(0);
    end(Number(sealed.text));
    await handle.waitForExit();
    expect(handle.collected.stdout.readFrom(0)).toEqual(sealed);
  });
});
