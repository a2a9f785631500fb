import type { Socket } from 'node:net';
import type { Range } from './range.js';

/**
 * Terminates all ranges at once, and waits until each has settled and is empty. Returns the failures; a range that
 * fails does not stop the others, and gets a last KILL.
 */
export async function endRanges(ranges: readonly Range[]): Promise<unknown[]> {
  for (const range of ranges) range.terminate();
  const results = await Promise.allSettled(ranges.map(endOf));
  return results.flatMap((result, at) => {
    if (result.status === 'fulfilled') return [];
    ranges[at]?.kill();
    return [result.reason as unknown];
  });
}

/** Destroys control channels that are still open, without draining them, and waits until they are closed. */
export async function closeControls(controls: readonly Socket[]): Promise<void> {
  await Promise.all(
    controls.map((control) => {
      if (control.closed) return undefined;
      const closed = new Promise<void>((resolve) => control.once('close', () => resolve()));
      control.destroy();
      return closed;
    }),
  );
}

/** One failure as it is, several together. */
export function combined(failures: readonly unknown[]): unknown {
  return failures.length === 1 ? failures[0] : new AggregateError(failures, 'holdfast: several ranges could not be ended');
}

/** All at once, so that a range that cannot be observed any more is not hidden behind a `done` that never comes. */
async function endOf(range: Range): Promise<void> {
  const done = range.done.catch((error: unknown) => {
    // A launch that failed has left nothing to end; its caller has the error.
    if (range.launch !== 'failed' && range.lost !== undefined) throw error;
  });
  await Promise.all([done, range.waitForExit()]);
}
