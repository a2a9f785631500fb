// What a host can be told to do with streams. Plain options in, plain facts out, as in jobs.mjs.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../lib/machine.mjs';
import { kept } from './kept.mjs';

/**
 * `count` producers that all begin at the monotonic time `at`, each of which writes `each` bytes: milliseconds from then until
 * all have ended, and of the bytes that were there when the first one was done, those of the slowest as a share of the mean.
 */
export async function collectMany({ start }, { count, argv, tail, each, at }) {
  const all = Array.from({ length: count }, () => start({ argv, tail }));
  const bytesOf = ({ handle }) => handle.report().streams.stdout.bytes;
  for (const { handle } of all) while (handle.report().launch === 'pending') await sleep(1);
  const late = monotonicMs() - at;
  if (late > 0) throw new Error(`the producers began ${late} ms before the last of them was started`);
  const first = Promise.race(all.map(({ done }) => done)).then(() => all.map(bytesOf));
  for (const code of await Promise.all(all.map(({ done }) => done))) if (code !== 0) throw new Error(`exit code ${code}`);
  const ms = monotonicMs() - at;
  const reached = await first;
  for (const one of all) if (bytesOf(one) !== each) throw new Error(`${bytesOf(one)} bytes of ${each}`);
  return { ms, bytes: count * each, fairness: Math.min(...reached) / (reached.reduce((a, b) => a + b) / count) };
}

/** Runs a producer while its newest `delta` bytes are read `perSecond` times a second; 0: not at all. Milliseconds, and the reads. */
export async function collectPolled({ start }, { argv, tail, expect, delta, perSecond }) {
  globalThis.gc();
  const begin = performance.now();
  const { handle, done } = start({ argv, tail });
  const reader = handle.collected.stdout;
  let [reads, next] = [0, 0];
  const poll = () => {
    const { text, nextOffset } = reader.readFrom(Math.max(next, handle.report().streams.stdout.bytes - delta));
    next = nextOffset;
    if (text.length > 0) reads++;
  };
  const timer = perSecond === 0 ? undefined : setInterval(poll, 1000 / perSecond);
  const code = await done;
  clearInterval(timer);
  const ms = performance.now() - begin;
  if (code !== 0 || handle.report().streams.stdout.bytes !== expect) throw new Error(`exit code ${code}`);
  return { ms, reads };
}

/** Microseconds from each line's writing, of which it tells the time, until somebody who waits for it has read it. */
export async function lineLatency({ start }, { argv }) {
  const { handle, done } = start({ argv });
  const reader = handle.collected.stdout;
  const times = [];
  for (let next = 0; ;) {
    const more = await reader.changed(next);
    const now = monotonicMs();
    const { text, nextOffset } = reader.readFrom(next);
    next = nextOffset;
    for (const line of text.split('\n')) if (line !== '') times.push((now - Number(line)) * 1000);
    if (!more) break;
  }
  await done;
  return times;
}

/** Milliseconds to have all of the retained text of a kept command, and of Buffer.toString of the same bytes, in turns. */
export async function readAll(_, { at, times }) {
  const reader = kept[at].handle.collected.stdout;
  const { bytes } = reader.readBytes(0);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ways = { readFrom: () => reader.readFrom(0).text, toString: () => buffer.toString() };
  const results = { readFrom: [], toString: [] };
  for (let i = 0; i < times; i++) {
    for (const name of i % 2 === 0 ? ['readFrom', 'toString'] : ['toString', 'readFrom']) {
      globalThis.gc();
      const begin = performance.now();
      const { length } = ways[name]();
      results[name].push(performance.now() - begin);
      if (length === 0) throw new Error('there is no text');
    }
  }
  return results;
}
