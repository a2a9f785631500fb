/** Sizes and times as people write them on a command line, and as a report shows them. */

const SIZE = /^(\d+(?:\.\d+)?)(b|[kmgt](?:i?b)?)?$/i;
const SIZE_FACTOR = { '': 1, b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 } as const;
const TIME = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;
const TIME_FACTOR = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/**
 * Bytes of a size such as `512`, `64k`, `1.5m` or `1g`. The letters are powers of 1024, in any case, and a trailing `b`
 * or `ib` changes nothing.
 * @throws RangeError with the reason when `text` is no size or is beyond 2⁵³ − 1 bytes.
 */
export function parseSize(text: string): number {
  const match = SIZE.exec(text);
  if (match === null) throw new RangeError('is no size; write bytes, or a number with k, m, g or t, such as 64k');
  const letter = (match[2] ?? '').charAt(0).toLowerCase() as keyof typeof SIZE_FACTOR;
  const bytes = Math.round(Number(match[1]) * SIZE_FACTOR[letter]);
  if (!Number.isSafeInteger(bytes)) throw new RangeError('is more than a file can hold');
  return bytes;
}

/**
 * Milliseconds of a time such as `200ms`, `5s`, `1.5m` or `2h`. A bare number is refused: some tools read it as seconds,
 * others as milliseconds.
 * @throws RangeError with the reason when `text` is no time, rounds to nothing or is longer than `longestMs`.
 */
export function parseTime(text: string, longestMs: number): number {
  const match = TIME.exec(text);
  if (match === null) {
    const remedy = /^\d+(\.\d+)?$/.test(text) ? `has no unit; write ${text}s or ${text}ms` : 'is no time; write for example 5s or 200ms';
    throw new RangeError(remedy);
  }
  const ms = Math.round(Number(match[1]) * TIME_FACTOR[match[2] as keyof typeof TIME_FACTOR]);
  if (ms < 1) throw new RangeError('is too short; the shortest time is 1ms');
  if (ms > longestMs) throw new RangeError(`is too long; the longest time is ${longestMs}ms (about ${Math.floor(longestMs / 86_400_000)} days)`);
  return ms;
}

/**
 * A whole number from 1 on.
 * @throws RangeError with the reason.
 */
export function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || !Number.isSafeInteger(count)) throw new RangeError('is no count; write a whole number from 1 on');
  return count;
}

const STEPS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** `bytes` with three significant digits in powers of 1000, such as `3.21 GB`: the unit in which rates are quoted. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let step = 0;
  // 999.5 and more would be printed as 1000.
  while (value >= 999.5 && step < STEPS.length - 1) {
    value /= 1000;
    step += 1;
  }
  const digits = step === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${STEPS[step]}`;
}

/** Bytes per second, such as `1.20 GB/s`. */
export function formatRate(bytesPerSecond: number): string {
  return `${formatBytes(bytesPerSecond)}/s`;
}

/** A duration such as `850 ms`, `12.3 s` or `1:02:03`. */
export function formatTime(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const two = (n: number): string => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
