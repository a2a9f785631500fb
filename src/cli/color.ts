import type { WriteStream } from 'node:tty';

/** Enough colours for bold and the eight names. Node's own answer looks at NO_COLOR, FORCE_COLOR and TERM. */
const COLORS = 16;

/** Writes bold on a terminal that shows it, and changes nothing elsewhere. */
export function bold(stream: WriteStream): (text: string) => string {
  return painter(stream, 1);
}

export function green(stream: WriteStream): (text: string) => string {
  return painter(stream, 32);
}

function painter(stream: WriteStream, code: number): (text: string) => string {
  const colors = stream.isTTY && stream.hasColors(COLORS);
  return (text) => (colors ? `\x1b[${code}m${text}\x1b[m` : text);
}
