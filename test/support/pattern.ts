/** The byte at a whole-stream offset of `dummy write`: printable, and dependent on the position only. */
export function patternByte(offset: number): number {
  return 33 + ((Math.imul(offset >>> 0, 2654435761) >>> 24) % 94);
}

/** Bytes `from` (inclusive) to `to` (exclusive) of that stream, as text. */
export function pattern(from: number, to: number): string {
  const bytes = Buffer.allocUnsafe(to - from);
  for (let i = from; i < to; i++) bytes[i - from] = patternByte(i);
  return bytes.toString('latin1');
}
