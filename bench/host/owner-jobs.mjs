// What a host can be told to do with whole ranges. Plain options in, plain facts out, as in jobs.mjs.
import { readFileSync, readdirSync } from 'node:fs';
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

/** `count` ranges at once: how many of them lived together, and how many ended; what their holders need meanwhile. */
export async function holdMany({ start }, { count, argv }) {
  const begin = performance.now();
  const all = Array.from({ length: count }, () => start({ argv }));
  for (const { handle } of all) while (handle.report().launch === 'pending') await sleep(5);
  const startedMs = performance.now() - begin;
  const alive = all.filter(({ handle }) => handle.report().launch === 'started' && lives(handle.report().pid)).length;
  const wardens = children(process.pid).filter(isHolder);
  const supervisors = wardens.flatMap(children).filter(isHolder);
  const needs = { wardenKiB: wardens.map(privateKiB), supervisorKiB: supervisors.map(privateKiB) };
  const end = performance.now();
  for (const { handle } of all) handle.terminate();
  for (const { handle, done } of all) {
    await handle.waitForExit();
    await done;
  }
  return { startedMs, alive, endedMs: performance.now() - end, left: all.filter(({ handle }) => lives(handle.report().pid)).length, ...needs };
}

function lives(pid) {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function children(pid) {
  return readdirSync(`/proc/${pid}/task`).flatMap((tid) => readFileSync(`/proc/${pid}/task/${tid}/children`, 'utf8').split(' ').filter(Boolean).map(Number));
}

const isHolder = (pid) => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'holdfast\n';

/** Memory that nobody else has: what would be free without this process. */
function privateKiB(pid) {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return ['Private_Clean', 'Private_Dirty'].reduce((sum, name) => sum + Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)[1]), 0);
}
