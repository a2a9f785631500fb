import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compose, type Composition } from '../../support/dsh.ts';
import { leakFence } from '../../support/fence.ts';
import { dummy } from '../../support/paths.ts';
import { pattern } from '../../support/pattern.ts';

leakFence();
let host: Composition;
beforeAll(async () => { host = await compose(); });
afterAll(() => host.dispose());

function tail(maxBytes: number, argv: readonly string[], stderrBytes = maxBytes) {
  return host.subprocess.spawn({ argv, cwd: '/', graceMs: 3000, stdio: { stdin: 'ignore', stdout: { maxBytes }, stderr: { maxBytes: stderrBytes } } });
}

async function tailOf(maxBytes: number, argv: readonly string[]) {
  const handle = tail(maxBytes, argv);
  await handle.done;
  await handle.waitForExit();
  return handle.collected.stdout;
}

const hex = (...parts: string[]): string[] => dummy('hex', 1, 0, ...parts);

describe('I. bounded collection and reads by offset', () => {
  it.each([[100, 5000, 7], [1024, 1025, 1], [100, 5000, 5000], [65_537, 300_000, 4096]])('101, 102: of %i bytes the last of %i are kept, written %i at a time', async (maxBytes, total, chunk) => {
    const reader = await tailOf(maxBytes, dummy('write', 1, total, chunk, 0));
    expect(reader.readFrom(0)).toEqual({ text: pattern(total - maxBytes, total), nextOffset: total, lossy: true });
  });

  it('103: output of exactly the cap is whole, and makes no file', async () => {
    expect((await tailOf(5000, dummy('write', 1, 5000, 100, 0))).readFrom(0)).toEqual({ text: pattern(0, 5000), nextOffset: 5000, lossy: false });
  });

  it('104: each stream has its own cap', async () => {
    const handle = tail(4, ['/bin/sh', '-c', 'printf 123456; printf abcdef >&2'], 100);
    await handle.done;
    expect([handle.collected.stdout.readFrom(0).text, handle.collected.stderr.readFrom(0).text]).toEqual(['3456', 'abcdef']);
    await handle.waitForExit();
  });

  it('105: a cap of 0 keeps nothing and counts everything', async () => {
    const reader = await tailOf(0, dummy('write', 1, 1000, 100, 0));
    expect(reader.readFrom(0)).toEqual({ text: '', nextOffset: 1000, lossy: true });
    expect(reader.readFrom(1000)).toEqual({ text: '', nextOffset: 1000, lossy: false });
  });

  it('106, 107: after done readFrom(0) is the whole, or the tail and lossy exactly when the offset lies before it', async () => {
    const reader = await tailOf(100, dummy('write', 1, 150, 10, 0));
    expect(reader.readFrom(49)).toMatchObject({ text: pattern(50, 150), lossy: true });
    expect(reader.readFrom(50)).toMatchObject({ text: pattern(50, 150), lossy: false });
    expect(reader.readFrom(120)).toMatchObject({ text: pattern(120, 150), lossy: false });
  });

  it('108, 111, 112: nextOffset is the total of the stream, beyond the end too; an offset that is none throws', async () => {
    const reader = await tailOf(10, dummy('write', 1, 100, 10, 0));
    for (const offset of [0, 95, 100, 1000]) expect(reader.readFrom(offset).nextOffset).toBe(100);
    expect(reader.readFrom(1000)).toEqual({ text: '', nextOffset: 100, lossy: false });
    for (const offset of [-1, 1.5, NaN, Infinity]) expect(() => reader.readFrom(offset)).toThrow(RangeError);
  });

  it('109, 110: reading consumes nothing; two readers get along, and pieces joined are the stream', async () => {
    const handle = tail(1e6, dummy('lines', 2000));
    let [joined, offset] = ['', 0];
    while (await handle.collected.stdout.changed(offset)) {
      const read = handle.collected.stdout.readFrom(offset);
      handle.collected.stdout.readFrom(0);
      joined += read.text;
      offset = read.nextOffset;
    }
    await handle.done;
    expect(joined).toBe(handle.collected.stdout.readFrom(0).text);
    await handle.waitForExit();
  });

  it('113: offsets are bytes', async () => {
    const reader = await tailOf(100, hex('c3a9e4b89661'));
    expect(reader.readFrom(2)).toEqual({ text: '世a', nextOffset: 6, lossy: false });
  });

  it('114: invalid UTF-8 shows as U+FFFD and does not move offsets', async () => {
    expect((await tailOf(100, hex('61ff62'))).readFrom(0)).toEqual({ text: 'a\ufffdb', nextOffset: 3, lossy: false });
  });

  it('115: a character that arrives in two pieces is left for the next read, and joining never tears it', async () => {
    const handle = tail(100, dummy('hex', 1, 100, '61e4', 'b896', '62'));
    let [joined, offset] = ['', 0];
    while (await handle.collected.stdout.changed(offset)) {
      const read = handle.collected.stdout.readFrom(offset);
      joined += read.text;
      offset = read.nextOffset;
    }
    expect([joined, offset]).toEqual(['a世b', 5]);
    await handle.waitForExit();
  });

  it('116: a tail cut inside a character begins at the next one', async () => {
    expect((await tailOf(4, hex('e4b896e4b896'))).readFrom(0)).toEqual({ text: '世', nextOffset: 6, lossy: true });
  });

  it('117, 119: there is no key spillPath without a file; an empty stream is empty', async () => {
    expect((await tailOf(100, ['true'])).readFrom(0)).toEqual({ text: '', nextOffset: 0, lossy: false });
  });

  it('118: readers work while it runs, after it and after disposal', async () => {
    const other = await compose();
    const handle = other.subprocess.spawn({ argv: ['/bin/sh', '-c', 'echo up; sleep 30'], cwd: '/', graceMs: 500, stdio: { stdin: 'ignore', stdout: { maxBytes: 100 }, stderr: { maxBytes: 100 } } });
    await handle.collected.stdout.changed(0);
    const running = handle.collected.stdout.readFrom(0);
    await other.dispose();
    expect(handle.collected.stdout.readFrom(0)).toEqual(running);
    expect(running.text).toBe('up\n');
  });

  it('120: what is in the pipe at the exit is collected before done', async () => {
    for (let round = 0; round < 10; round++) expect((await tailOf(1 << 20, dummy('write', 1, 70_000, 70_000, 0))).readFrom(0).nextOffset).toBe(70_000);
  });

  it('121: a reader has readFrom, and nothing that feeds or closes it', async () => {
    const reader = await tailOf(10, ['true']);
    expect(Object.keys(reader)).toEqual(['readFrom', 'readBytes', 'changed']);
  });
});
