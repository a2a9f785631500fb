import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { dummy } from '../support/paths.ts';
import { within } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();

function chunks(delayMs: number, parts: string[], maxBytes = 65536) {
  return runtime.spawn({ argv: dummy('hex', 1, delayMs, ...parts), cwd: fence.directory, graceMs: 5000, stdio: { stdin: 'ignore', stdout: { maxBytes }, stderr: { maxBytes: 1000 } } });
}

/** Reads whenever something has changed, and returns the pieces of text. */
async function pieces(handle: ReturnType<typeof chunks>): Promise<string[]> {
  const reader = handle.collected.stdout;
  const got: string[] = [];
  for (let offset = 0; await within(30_000, 'a change', reader.changed(offset));) {
    const read = reader.readFrom(offset);
    expect(read.nextOffset).toBeGreaterThan(offset);
    got.push(read.text);
    offset = read.nextOffset;
  }
  await handle.done;
  return got;
}

const decoded = (parts: string[]): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(parts.join(''), 'hex'));

describe('incremental reads', () => {
  it.each([
    ['two bytes', ['c3', 'a9']],
    ['three bytes', ['e4', 'b8', '96']],
    ['four bytes', ['f0', '9f', '8e', 'a3']],
    ['text around it', ['61e4', 'b896', '62f09f', '8ea363']],
  ])('never split a character of %s that comes byte by byte (115)', async (_, parts) => {
    const got = await pieces(chunks(30, parts));
    expect(got.join('')).toBe(decoded(parts));
    expect(got.join('')).not.toContain('\ufffd');
  });

  it.each([
    ['a lone continuation byte', ['61', '80', '62']],
    ['a lead byte before ASCII', ['c3', '61']],
    ['an overlong form', ['c0', 'af', 'e0', '80', 'af']],
    ['a surrogate', ['ed', 'a0', '80']],
    ['a value beyond Unicode', ['f4', '90', '80', '80']],
    ['a truncated character at the end', ['61', 'e4', 'b8']],
    ['a truncated character before another', ['f0', '9f', '8e', 'c3', 'a9']],
    ['bytes that never occur', ['ff', 'fe', 'f8', '88']],
    ['a byte order mark', ['ef', 'bb', 'bf', '61']],
    ['NUL', ['00', '6100', '00']],
  ])('join to what a WHATWG decoder makes of the whole stream: %s (114, 115)', async (_, parts) => {
    expect((await pieces(chunks(15, parts))).join('')).toBe(decoded(parts));
  });

  it('give the same however the stream was cut, whole or byte by byte (114)', async () => {
    const bytes = Buffer.concat([Buffer.from('aé世🎣'), Buffer.from('ff80c3e0a0f0908080ed9fbfedbfbf', 'hex'), Buffer.from('zé')]).toString('hex');
    const single = bytes.match(/../g) ?? [];
    const [whole, cut] = await Promise.all([pieces(chunks(0, [bytes])), pieces(chunks(3, single))]);
    expect(whole.join('')).toBe(decoded([bytes]));
    expect(cut.join('')).toBe(decoded([bytes]));
  });
});

describe('an incomplete character at the end of an open stream', () => {
  it('is not counted and not shown, until its last byte has come (108, 115)', async () => {
    const handle = runtime.spawn({ argv: dummy('cat'), cwd: '/', graceMs: 5000, stdio: { stdin: 'pipe', stdout: { maxBytes: 1000 }, stderr: { maxBytes: 1000 } } });
    const reader = handle.collected.stdout;
    handle.stdin.write(Buffer.from('61c3', 'hex'));
    expect(await reader.changed(1, { bytes: true })).toBe(true);
    expect(reader.readFrom(0)).toEqual({ text: 'a', nextOffset: 1, lossy: false });
    expect(reader.readFrom(1)).toEqual({ text: '', nextOffset: 1, lossy: false });
    expect([...reader.readBytes(0).bytes]).toEqual([0x61, 0xc3]);
    expect(reader.readBytes(0).nextOffset).toBe(2);
    handle.stdin.end(Buffer.from('a9', 'hex'));
    expect(await reader.changed(1)).toBe(true);
    expect(reader.readFrom(1)).toEqual({ text: 'é', nextOffset: 3, lossy: false });
    await handle.done;
  });

  it('becomes a replacement character when the stream ends there', async () => {
    const handle = chunks(0, ['61e4b8']);
    await handle.done;
    expect(handle.collected.stdout.readFrom(0)).toEqual({ text: 'a\ufffd', nextOffset: 3, lossy: false });
  });
});

describe('a window that begins inside a character', () => {
  it.each([[1, ''], [2, ''], [3, '世'], [4, '世'], [5, '世'], [6, '界世']])('of %i bytes gives whole characters as text, and all its bytes as bytes (116)', async (maxBytes, text) => {
    const handle = chunks(0, ['e4b896e7958ce4b896'], maxBytes);
    await handle.done;
    expect(handle.collected.stdout.readFrom(0)).toEqual({ text, nextOffset: 9, lossy: true });
    expect(handle.collected.stdout.readBytes(0)).toMatchObject({ nextOffset: 9, lossy: true });
    expect(handle.collected.stdout.readBytes(0).bytes).toHaveLength(maxBytes);
  });
});
