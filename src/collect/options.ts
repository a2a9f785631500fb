import { outOfRange, wrongType, wrongValue } from '../seam/errors.js';
import { MAX_TIMER_DELAY_MS } from '../seam/limits.js';
import type { CollectSpec } from '../seam/spec.js';
import type { CollectOptions } from './types.js';

/** Options with their defaults; what goes into a specification unchanged is checked by `spawn`. */
export interface CheckedCollect extends Pick<CollectOptions, 'env' | 'limits' | 'signal' | 'timeoutMs' | 'input'> {
  readonly cwd: string;
  readonly graceMs: number;
  readonly output: CollectSpec;
  readonly check: boolean;
}

/** Throws a TypeError or RangeError that names the option. */
export function checkCollectOptions(options: CollectOptions): CheckedCollect {
  if (typeof options !== 'object' || options === null) throw wrongType('options', 'an object', options);
  const { cwd = process.cwd(), env, limits, signal, timeoutMs, input, graceMs = 5000, maxBytes = 1024 * 1024, spill, check = false } = options;
  if (typeof check !== 'boolean') throw wrongType('options.check', 'a boolean', check);
  if (options.runtime !== undefined && options.ownership !== undefined) {
    throw wrongValue("The property 'options.ownership' belongs to the runtime; do not give both");
  }
  checkTimeout(timeoutMs);
  return { cwd, env, limits, signal, timeoutMs, input, graceMs, output: { maxBytes, spill }, check };
}

function checkTimeout(timeoutMs: unknown): void {
  if (timeoutMs === undefined) return;
  if (typeof timeoutMs !== 'number') throw wrongType('options.timeoutMs', 'a number of milliseconds', timeoutMs);
  // A longer timer would fire at once.
  if (timeoutMs > 0 && timeoutMs <= MAX_TIMER_DELAY_MS) return;
  throw outOfRange(`The property 'options.timeoutMs' must be more than 0 and at most ${MAX_TIMER_DELAY_MS}. Received ${timeoutMs}`);
}
