// How long does spawn() hold the event loop, and how long is it from spawn() to done?
//
// The host has a gigabyte of heap, because the cost of fork() grows with the host and ours must not. A bare program name,
// sixty variables, both outputs collected or piped.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { LocalSubprocessRuntime } from '../dist/index.js';
import { compiled } from './lib/compile.mjs';
import { residentBytes } from './lib/machine.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { ratio, round, summary } from './lib/stats.mjs';

const { rounds, quick } = settings(9);
const CALLS = quick ? 10 : 30;
const TOGETHER = 200;
const raw = compiled('spawn');
const program = '/bin/true';

for (const name of Object.keys(process.env)) if (name !== 'PATH') delete process.env[name];
for (let i = 1; i < 60; i++) process.env[`VARIABLE_${i}`] = `a value of ordinary length, number ${i}`;
const heap = Array.from({ length: 128 }, () => new Array(1 << 20).fill(1.5));
globalThis.gc();

const runtime = new LocalSubprocessRuntime();
const collect = { maxBytes: 65536 };
const spec = { argv: ['true'], cwd: '/', graceMs: 5000, stdio: { stdin: 'ignore', stdout: collect, stderr: collect } };

const contenders = {
  holdfast: {
    start: () => runtime.spawn(spec),
    end: (handle) => handle.done.then(({ exitCode }) => exitCode),
  },
  child_process: {
    start() {
      const child = spawn('true', { cwd: '/', env: { ...process.env }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.on('data', () => {});
      child.stderr.on('data', () => {});
      return child;
    },
    end: (child) => once(child, 'close').then(([code]) => code),
  },
};

/** One call after the other: how long each held the loop, and how long until its end. */
async function alone({ start, end }) {
  const [blocked, latency] = [[], []];
  for (let i = 0; i < CALLS; i++) {
    const begin = performance.now();
    const started = start();
    blocked.push(performance.now() - begin);
    if ((await end(started)) !== 0) throw new Error('the command failed');
    latency.push(performance.now() - begin);
  }
  return { blocked, latency };
}

/** All calls in one turn of the loop: how long the loop was held, and how long until the last end. */
async function together({ start, end }) {
  const begin = performance.now();
  const all = Array.from({ length: TOGETHER }, start);
  const blocked = performance.now() - begin;
  for (const code of await Promise.all(all.map(end))) if (code !== 0) throw new Error('the command failed');
  return { blocked, latency: performance.now() - begin };
}

const inC = (how, count) => JSON.parse(execFileSync(raw, [how, String(count), program], { encoding: 'utf8' }));
await alone(contenders.holdfast);
console.log(`spawn: ${CALLS} calls alone and ${TOGETHER} together a round, ${rounds} rounds, ${round(residentBytes() / 2 ** 30)} GiB resident`);

const single = await alternate({
  holdfast: () => alone(contenders.holdfast),
  child_process: () => alone(contenders.child_process),
  C: () => ({ latency: inC('alone', CALLS) }),
}, rounds, (n) => { console.log(`  alone, round ${n}`); });
const many = await alternate({
  holdfast: () => together(contenders.holdfast),
  child_process: () => together(contenders.child_process),
  C: () => ({ latency: inC('together', TOGETHER)[0] }),
}, rounds, (n) => { console.log(`  together, round ${n}`); });
await runtime.dispose();

const flat = (name, key) => single[name].flatMap((one) => one[key]);
const blocked = { holdfast: summary(flat('holdfast', 'blocked')), child_process: summary(flat('child_process', 'blocked')) };
const latency = Object.fromEntries(['holdfast', 'child_process', 'C'].map((name) => [name, summary(flat(name, 'latency'))]));
const all = Object.fromEntries(['holdfast', 'child_process', 'C'].map((name) => [name, summary(many[name].map((one) => one.latency))]));
const allBlocked = Object.fromEntries(['holdfast', 'child_process'].map((name) => [name, summary(many[name].map((one) => one.blocked))]));
const last = (name) => many[name].map((one) => one.latency);
const panel = (title, figures, whiskers) => ({
  title, unit: 'ms', better: 'less', log: true,
  bars: Object.entries(figures).map(([label, one]) => ({ label, value: one.p50, low: one[whiskers[0]], high: one[whiskers[1]], ours: label === 'holdfast' })),
});

const met = writeResult({
  question: 'spawn',
  quick,
  title: 'Starting /bin/true from a host with 1 GB of heap',
  settings: { calls: CALLS * rounds, together: TOGETHER, rounds, variables: Object.keys(process.env).length, residentGiB: round(residentBytes() / 2 ** 30), heapArrays: heap.length },
  figures: { blockedMs: blocked, latencyMs: latency, together: { latencyMs: all, blockedMs: allBlocked, ratioToChildProcess: ratio(last('child_process'), last('holdfast')), ratioToC: ratio(last('C'), last('holdfast')) } },
  panels: [
    panel('spawn() holds the event loop', blocked, ['min', 'p99']),
    panel('from spawn() to done, alone', latency, ['min', 'p99']),
    panel(`from spawn() to the last done, ${TOGETHER} at once`, all, ['min', 'max']),
  ],
  targets: [
    { name: 'spawn() holds the event loop, p50', value: blocked.holdfast.p50, limit: 0.25, at: 'most', unit: ' ms' },
    { name: 'spawn() holds the event loop, p99', value: blocked.holdfast.p99, limit: 1, at: 'most', unit: ' ms' },
  ],
  notes: ['Bars: median. Whiskers: fastest to 99th percentile (200 at once: to slowest). C: posix_spawn and waitpid in a small process.'],
});
process.exitCode = met || quick ? 0 : 1;
