// What a host can be told to do with whole ranges. Plain options in, plain facts out, as in jobs.mjs.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { observe } from './jobs.mjs';

async function printed(handle, bytes) {
  while (handle.report().streams.stdout.bytes < bytes) await sleep(1);
}

/**
 * Starts the command, waits until it has printed `expect` bytes, and tells the milliseconds from terminate() to waitForExit,
 * how that was known, and how late the event loop was meanwhile.
 */
export async function endRange({ start }, { expect, ...command }) {
  const { handle, done } = start(command);
  await printed(handle, expect);
  const stop = observe(true);
  const begin = performance.now();
  handle.terminate();
  await handle.waitForExit();
  const ms = performance.now() - begin;
  const { delayP99Ms } = stop();
  await done;
  const { proof, strays } = handle.report();
  return { ms, proof, strays: strays.count, delayP99Ms };
}

/** Milliseconds of each of `calls` ends of a range; throws when one was not proven. */
export async function endRanges(provider, { calls, ...command }) {
  const all = [];
  for (let i = 0; i < calls; i++) {
    const { ms, proof } = await endRange(provider, command);
    if (proof === 'pending') throw new Error('the range is said to be empty and is not');
    all.push(ms);
  }
  return all;
}
