import { outOfRange } from '../seam/errors.js';
import type { SubprocessReader } from '../seam/handle.js';
import type { LinesOptions, SubprocessLine } from '../seam/lines.js';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** Longest character in UTF-8: a piece has to hold one, or there would be no progress. */
const SHORTEST = 4;

/**
 * Follows a collected stream line by line, from its first byte to its end. Holds one read of the tail and one unfinished
 * line at a time, so memory is bounded however slow the consumer is; what it was too slow for is told as a gap.
 */
export function followLines(reader: SubprocessReader, options: LinesOptions = {}): AsyncGenerator<SubprocessLine, void, undefined> {
  const { maxLineBytes = 64 * 1024, signal } = options;
  if (!Number.isSafeInteger(maxLineBytes) || maxLineBytes < SHORTEST) {
    throw outOfRange(`The property 'options.maxLineBytes' must be a safe integer from ${SHORTEST} on. Received ${String(maxLineBytes)}`);
  }
  return follow(reader, maxLineBytes, signal);
}

async function* follow(reader: SubprocessReader, maxLineBytes: number, signal: AbortSignal | undefined): AsyncGenerator<SubprocessLine, void, undefined> {
  const cutter = new LineCutter(maxLineBytes);
  let at = 0;
  while (await reader.changed(at, { bytes: true, signal })) {
    const { bytes, nextOffset, lossy, spillPath } = reader.readBytes(at);
    const start = nextOffset - bytes.length;
    if (lossy && start > at) {
      const broken = cutter.rest(false);
      if (broken !== undefined) yield broken;
      yield { kind: 'gap', fromByte: at, toByte: start, ...(spillPath === undefined ? {} : { spillPath }) };
      cutter.skipTo(start);
    }
    at = nextOffset;
    yield* cutter.cut(bytes);
  }
  const last = cutter.rest(true);
  if (last !== undefined) yield last;
}

/** Cuts a stream of bytes into lines; keeps an unfinished one of at most `maxLineBytes` bytes. */
class LineCutter {
  private readonly maxLineBytes: number;
  private kept: Buffer = Buffer.alloc(0);
  private offset = 0;
  /** What is kept begins where a line begins. */
  private atStart = true;

  constructor(maxLineBytes: number) {
    this.maxLineBytes = maxLineBytes;
  }

  *cut(bytes: Uint8Array): Generator<SubprocessLine, void, undefined> {
    let rest: Buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.kept.length > 0) rest = Buffer.concat([this.kept, rest]);
    // An index, and not a shorter view each time: a tail may hold a million lines.
    let from = 0;
    for (;;) {
      const found = rest.indexOf(NEWLINE, from);
      const end = found < 0 ? rest.length : found;
      while (end - from > this.maxLineBytes) {
        const length = wholeCharacters(rest, from, this.maxLineBytes);
        yield this.piece(rest.subarray(from, from + length), length, false);
        this.atStart = false;
        from += length;
      }
      if (found < 0) break;
      yield this.piece(withoutReturn(rest.subarray(from, found)), found + 1 - from, this.atStart);
      this.atStart = true;
      from = found + 1;
    }
    this.kept = Buffer.from(rest.subarray(from)); // a copy: a view would keep the whole read alive
  }

  /** What was kept, when nothing can complete it any more: the end of the stream, or a gap. */
  rest(ended: boolean): SubprocessLine | undefined {
    if (this.kept.length === 0) return undefined;
    const line = this.piece(this.kept, this.kept.length, ended && this.atStart);
    this.kept = Buffer.alloc(0);
    return line;
  }

  /** After a gap: what comes next is the rest of some line. */
  skipTo(offset: number): void {
    this.offset = offset;
    this.atStart = false;
  }

  private piece(bytes: Buffer, length: number, whole: boolean): SubprocessLine {
    const fromByte = this.offset;
    this.offset += length;
    return { kind: 'line', text: bytes.toString('utf8'), fromByte, whole };
  }
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
}

/** At most `length` bytes that do not end inside a character; bytes that are no UTF-8 are cut anywhere. */
function wholeCharacters(bytes: Buffer, from: number, length: number): number {
  for (let back = 0; back < SHORTEST; back++) {
    if (((bytes[from + length - back] ?? 0) & 0xc0) !== 0x80) return length - back;
  }
  return length;
}
