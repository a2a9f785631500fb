import { describe, expect, it } from 'vitest';
import { followLines } from '../../src/runtime/lines.ts';
import type { SubprocessReader } from '../../src/seam/handle.ts';
import type { SubprocessLine } from '../../src/seam/lines.ts';

/** A reader whose stream has grown by one chunk whenever it is asked again; only `window` bytes are retained. */
function readerOf(chunks: (Buffer | string)[], window = Infinity): SubprocessReader {
  let stream = Buffer.alloc(0);
  const rest = chunks.map((chunk) => Buffer.from(chunk));
  return {
    readFrom: () => { throw new Error('lines are made of bytes'); },
    readBytes: (from) => {
      const start = Math.max(0, stream.length - window);
      return { bytes: stream.subarray(Math.max(from, start)), nextOffset: stream.length, lossy: from < start };
    },
    changed: async (from, options) => {
      options?.signal?.throwIfAborted();
      while (stream.length <= from) {
        const next = rest.shift();
        if (next === undefined) return false;
        stream = Buffer.concat([stream, next]);
        // With a window, everything comes before the consumer looks again.
        if (window !== Infinity) for (const more of rest.splice(0)) stream = Buffer.concat([stream, more]);
      }
      return true;
    },
  };
}

async function all(reader: SubprocessReader, options = {}): Promise<SubprocessLine[]> {
  const lines: SubprocessLine[] = [];
  for await (const line of followLines(reader, options)) lines.push(line);
  return lines;
}

const texts = (lines: SubprocessLine[]) => lines.map((line) => (line.kind === 'line' ? line.text : `gap ${line.fromByte}-${line.toByte}`));

describe('followLines', () => {
  it('joins what came in pieces, and takes both ends of a line away', async () => {
    expect(await all(readerOf(['on', 'e\r\n\ntw', 'o']))).toEqual([
      { kind: 'line', text: 'one', fromByte: 0, whole: true },
      { kind: 'line', text: '', fromByte: 5, whole: true },
      { kind: 'line', text: 'two', fromByte: 6, whole: true },
    ]);
  });

  it('has no line for an empty stream, nor after the last end of a line', async () => {
    expect(await all(readerOf([]))).toEqual([]);
    expect(texts(await all(readerOf(['a\n'])))).toEqual(['a']);
  });

  it('does not split a character between reads or pieces', async () => {
    expect(texts(await all(readerOf([Buffer.from('ä').subarray(0, 1), Buffer.concat([Buffer.from('ä').subarray(1), Buffer.from('\n')])])))).toEqual(['ä']);
    expect(texts(await all(readerOf(['abc€d\n']), { maxLineBytes: 4 }))).toEqual(['abc', '€d']);
  });

  it('gives a line that is too long in pieces, each within the bound', async () => {
    expect(await all(readerOf(['abcdef', 'ghij\nk\n']), { maxLineBytes: 4 })).toMatchObject([
      { text: 'abcd', fromByte: 0, whole: false }, { text: 'efgh', fromByte: 4, whole: false }, { text: 'ij', fromByte: 8, whole: false }, { text: 'k', fromByte: 11, whole: true },
    ]);
  });

  it('cuts bytes that are no UTF-8 anywhere, and makes progress', async () => {
    expect((await all(readerOf([Buffer.alloc(11, 0x80)]), { maxLineBytes: 4 })).map((line) => line.fromByte)).toEqual([0, 4, 8]);
  });

  it('tells of what it was too slow for', async () => {
    // Twelve bytes of which the last six are retained: '3\nl4\n' begins in the middle of a line.
    expect(await all(readerOf(['l1\nl2\nl3\nl4\n'], 5))).toEqual([
      { kind: 'gap', fromByte: 0, toByte: 7 },
      { kind: 'line', text: '3', fromByte: 7, whole: false },
      { kind: 'line', text: 'l4', fromByte: 9, whole: true },
    ]);
  });

  it('ends with the reason of its signal', async () => {
    await expect(all(readerOf(['a\n']), { signal: AbortSignal.abort('enough') })).rejects.toBe('enough');
  });

  it.each([0, 3, 1.5, NaN])('refuses a bound of %d', (maxLineBytes) => {
    expect(() => followLines(readerOf([]), { maxLineBytes })).toThrow(RangeError);
  });
});
