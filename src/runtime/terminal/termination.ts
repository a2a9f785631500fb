import { wrongValue } from '../../seam/errors.js';
import { MAX_TIMER_DELAY_MS } from '../../seam/limits.js';
import type { TerminalSignal } from '../../seam/terminal.js';
import type { Range } from '../range.js';
import { cleanupError } from './failure.js';

/** Least time that members have to end after their KILL: they hang in the kernel, or the machine is very busy. */
const KILL_PATIENCE_MS = 5000;
const SIGNALS: readonly TerminalSignal[] = ['SIGINT', 'SIGTERM', 'SIGKILL', 'SIGTSTP', 'SIGHUP'];

/** Milliseconds after a KILL at which what is left counts as a survivor. */
export function killPatience(graceMs: number): number {
  return Math.max(graceMs, KILL_PATIENCE_MS);
}

export function checkTerminalSignal(signal: TerminalSignal): void {
  if (!SIGNALS.includes(signal)) throw wrongValue(`The argument 'signal' must be one of ${SIGNALS.join(', ')}`);
}

/** The same promise for everybody, until an attempt fails: then the next call makes another one. */
export function retrying(attempt: (again: boolean) => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let failed = false;
  return () => {
    current ??= attempt(failed).catch((error: unknown) => {
      current = undefined;
      failed = true;
      throw error;
    });
    return current;
  };
}

/** TERM, the grace, KILL by the owner, which goes on until nobody is left; rejects with the survivors if that takes too long. */
export async function endRange(range: Range, graceMs: number, again: boolean): Promise<void> {
  range.terminate();
  if (again) range.kill();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), Math.min(graceMs + killPatience(graceMs), MAX_TIMER_DELAY_MS));
  try {
    if (!(await range.waitForExit(late.signal))) throw cleanupError((await range.inspect()).map((one) => one.pid));
  } finally {
    clearTimeout(timer);
  }
  // A lost exit status is the matter of `done`.
  await range.done.catch(() => {});
}
