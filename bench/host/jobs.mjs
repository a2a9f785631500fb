// What a host can be told to do. Each job takes the provider and plain options and returns plain facts.
import { unlinkSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { kept } from './kept.mjs';
import { jsThreadCpuMs, wakeUpsOf } from '../lib/machine.mjs';

export * from './stream-jobs.mjs';
export * from './terminal-jobs.mjs';

/** Of the timer that finds out how late the event loop is. Finer than this, its own work would show in the CPU time. */
const RESOLUTION_MS = 5;

/**
 * Runs one command to its end and tells what that took. `busy`: the JS thread works 9 ms of each 10 meanwhile.
 * `watchLoop`: tells how late the event loop was, too, which costs the JS thread some CPU time.
 */
export async function collect({ start }, { busy = false, watchLoop = false, expect, ...command }) {
  globalThis.gc?.();
  const stopWorking = busy ? work(9, 1) : () => {};
  const stop = observe(watchLoop);
  const started = start(command);
  const code = await started.done;
  const observed = stop();
  stopWorking();
  const { bytes, stderr, spillPath } = started.output();
  if (code !== 0 || bytes !== expect) throw new Error(`exit code ${code}, ${bytes} bytes of ${expect}: ${stderr}`);
  if (command.spill !== undefined) {
    if (spillPath === undefined) throw new Error('there is no complete spill file');
    unlinkSync(spillPath);
  }
  return { ...observed, pipeBytes: Number(stderr) };
}

let idling = () => ({});

/** From here to endIdle() it only looks at its own event loop. */
export async function beginIdle() {
  globalThis.gc?.();
  idling = observe(true);
}

export async function endIdle() {
  return idling();
}

/** `calls` runs, one after the other: how long each call held the event loop, and how long until its end. */
export async function runAlone({ start }, { argv, calls }) {
  const [blockedMs, latencyMs] = [[], []];
  for (let i = 0; i < calls; i++) {
    const begin = performance.now();
    const started = start({ argv });
    blockedMs.push(performance.now() - begin);
    const code = await started.done;
    latencyMs.push(performance.now() - begin);
    if (code !== 0) throw new Error(`exit code ${code}`);
  }
  return { blockedMs, latencyMs };
}

/** `calls` runs in one turn of the loop, `times` times: milliseconds from the first call until the last end. */
export async function runTogether({ start }, { argv, calls, times = 1 }) {
  const latencyMs = [];
  for (let i = 0; i < times; i++) {
    const begin = performance.now();
    const all = Array.from({ length: calls }, () => start({ argv }));
    for (const code of await Promise.all(all.map(({ done }) => done))) if (code !== 0) throw new Error(`exit code ${code}`);
    latencyMs.push(performance.now() - begin);
  }
  return latencyMs;
}

/** `calls` runs started in one turn: the longest time that the event loop was held until the last end, beyond its timer's interval. */
export async function heldTogether({ start }, { argv, calls }) {
  globalThis.gc?.();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await sleep(20);
  delay.reset();
  // The first tick after a reset only begins to count: a turn that starts before it would not be seen.
  await sleep(10);
  const begin = performance.now();
  const all = Array.from({ length: calls }, () => start({ argv }));
  const blockedMs = performance.now() - begin;
  for (const code of await Promise.all(all.map(({ done }) => done))) if (code !== 0) throw new Error(`exit code ${code}`);
  await sleep(5);
  delay.disable();
  return Math.max(blockedMs, delay.max / 1e6 - 1);
}

/** Milliseconds of CPU a second of this process while `count` ranges are waited for and nothing happens, beyond those without any. */
export async function pendingWaits({ start }, { argv, count, ms }) {
  await sleep(500);
  const without = await cpuWhile(ms);
  const all = Array.from({ length: count }, () => start({ argv }).handle);
  const waits = all.map((handle) => handle.waitForExit());
  await sleep(500);
  const used = await cpuWhile(ms);
  for (const handle of all) handle.terminate();
  await Promise.all(waits);
  return Math.max(0, used - without);
}

/** Milliseconds of CPU a second of this process, which only sleeps. */
async function cpuWhile(ms) {
  const cpu = process.cpuUsage();
  const begin = performance.now();
  await sleep(ms);
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / (performance.now() - begin);
}

/** Milliseconds until the provider is disposed of while `count` commands that ignore TERM are alive. The last job of a host. */
export async function disposeLive({ start, end }, { count, ...command }) {
  const all = Array.from({ length: count }, () => start(command).handle);
  for (const handle of all) while (handle.collected.stdout.readFrom(0).text === '') await sleep(5);
  const begin = performance.now();
  await end();
  return performance.now() - begin;
}

/** Starts `count` commands that stay, and waits until each has printed all of its `expect` bytes. */
export async function keep({ start }, { count, expect, ...command }) {
  const fresh = Array.from({ length: count }, () => start(command));
  kept.push(...fresh);
  // Looked at from time to time: somebody who waits for a stream has it delivered in smaller pieces.
  for (const { handle } of fresh) while (handle.report().streams.stdout.bytes < expect) await sleep(10);
}

/** Starts `count` commands that stay, and leaves a waitForExit of each pending. */
export async function pend({ start }, { count, argv }) {
  await keep({ start }, { count, argv, expect: 1 });
  for (const { handle } of kept) void handle.waitForExit();
}

/** Starts commands one after the other until one is refused, at most `most`: how many live, and what the error says. */
export async function untilRefused({ start }, { argv, most }) {
  for (let i = 0; i < most; i++) {
    const one = start({ argv });
    const failed = one.done.then(() => undefined, (error) => error);
    while (one.handle.report().launch === 'pending') await sleep(1);
    if (one.handle.report().launch === 'started') {
      kept.push(one);
      continue;
    }
    const { name, code, syscall, stage, message } = await failed;
    return { alive: i, error: { name, code, syscall, stage, message } };
  }
  return { alive: most };
}

/** Ends what keep() has started, and forgets it. */
export async function drop() {
  for (const { handle } of kept) handle.terminate();
  for (const { handle, done } of kept) {
    await handle.waitForExit();
    await done;
  }
  kept.length = 0;
}

/** Runs commands, some at a time, until `count` handles of finished ones are kept. */
export async function keepFinished({ start }, { count, argv, tail }) {
  while (kept.length < count) {
    const some = Array.from({ length: Math.min(20, count - kept.length) }, () => start({ argv, tail }));
    for (const { done } of some) await done;
    kept.push(...some);
  }
  for (const { handle } of kept) await handle.waitForExit();
}

/** The JavaScript heap's share of the memory, after a collection. What lies in it is not native. */
export async function heapBytes() {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await sleep(20);
  }
  return getHeapStatistics().total_physical_size;
}

/** Milliseconds of each of `calls` reads of the last `bytes` bytes of the stream of kept command `at`. */
export async function readEnd(_, { at, bytes, calls }) {
  const reader = kept[at].handle.collected.stdout;
  const from = kept[at].handle.report().streams.stdout.bytes - bytes;
  const begin = performance.now();
  for (let i = 0; i < calls; i++) {
    const { text, lossy } = reader.readFrom(from);
    if (text.length !== bytes || lossy) throw new Error(`read ${text.length} bytes of ${bytes}`);
  }
  return (performance.now() - begin) / calls;
}

/** Milliseconds from the last act of the last process of a range until waitForExit has resolved; it prints the time of it. */
export async function waitAfterExit({ start }, { argv, calls }) {
  const gaps = [];
  for (let i = 0; i < calls; i++) {
    const { handle, done } = start({ argv });
    await handle.waitForExit();
    const nobody = Number(process.hrtime.bigint()) / 1e6;
    await done;
    gaps.push(nobody - Number(handle.collected.stdout.readFrom(0).text));
  }
  return gaps;
}

export const diagnose = ({ runtime }) => runtime.diagnose();

/** Time, CPU of the process and of the JS thread, and how often that thread was woken, from now to the call of the result, and how late the event loop was. */
export function observe(watchLoop) {
  const delay = watchLoop ? monitorEventLoopDelay({ resolution: RESOLUTION_MS }) : undefined;
  delay?.enable();
  const [wakeUps, cpu, js, begin] = [wakeUpsOf(process.pid, process.pid), process.cpuUsage(), jsThreadCpuMs(), performance.now()];
  return () => {
    const ms = performance.now() - begin;
    const { user, system } = process.cpuUsage(cpu);
    const jsCpuMs = jsThreadCpuMs() - js;
    delay?.disable();
    return { ms, cpuMs: (user + system) / 1e3, jsCpuMs, jsWakeUps: wakeUpsOf(process.pid, process.pid) - wakeUps, ...(delay === undefined ? {} : { delayP99Ms: lateness(delay, ms) }) };
  };
}

/** What the histogram holds is the time between two ticks; a loop that never came to a tick was late all the time. */
function lateness(delay, ms) {
  return delay.count > 0 ? Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS) : ms;
}

/** Keeps the JS thread at work for `on` milliseconds and idle for `off`, until the result is called. */
function work(on, off) {
  let going = true;
  const turn = () => {
    const until = performance.now() + on;
    while (performance.now() < until);
    if (going) setTimeout(turn, off);
  };
  setTimeout(turn, off);
  return () => { going = false; };
}
