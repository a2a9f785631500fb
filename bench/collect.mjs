// How fast is one stream collected into a bounded tail, and what does the JS thread do meanwhile?
//
// A producer in C writes 4 GB in blocks of 64 KiB. Against us: a C program that only reads (the best of three buffer
// sizes, on a pipe of the size that we use), and child_process with a 'data' handler that keeps the same tail.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { LocalSubprocessRuntime } from '../dist/index.js';
import { compiled } from './lib/compile.mjs';
import { jsThreadCpuMs, residentBytes } from './lib/machine.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { median, ratio, round, summary } from './lib/stats.mjs';

const { rounds, quick } = settings(11);
const BYTES = quick ? 800_000_000 : 4_000_000_000;
const TAIL = 1 << 20;
const BUFFERS = [64 << 10, 256 << 10, 1 << 20];
const produce = compiled('produce');
const loop = compiled('collect');
const runtime = new LocalSubprocessRuntime();

/** Runs `job` and tells what it took, in time, of the JS thread and of memory beyond what was there before. */
async function observed(job) {
  globalThis.gc();
  const before = { rss: residentBytes(), cpu: jsThreadCpuMs(), loop: performance.eventLoopUtilization(), at: performance.now() };
  let peak = before.rss;
  const watch = setInterval(() => { peak = Math.max(peak, residentBytes()); }, 100);
  const pipeBytes = await job();
  clearInterval(watch);
  const ms = performance.now() - before.at;
  const { utilization } = performance.eventLoopUtilization(before.loop);
  return { ms, pipeBytes, busy: utilization, cpu: (jsThreadCpuMs() - before.cpu) / ms, grown: Math.max(0, peak - before.rss) };
}

async function holdfast() {
  const handle = runtime.spawn({ argv: [produce, String(BYTES)], cwd: '/', graceMs: 5000, stdio: { stdin: 'ignore', stdout: { maxBytes: TAIL }, stderr: { maxBytes: 100 } } });
  const { exitCode } = await handle.done;
  const { bytes, retained } = handle.report().streams.stdout;
  if (exitCode !== 0 || bytes !== BYTES || retained !== TAIL) throw new Error(`holdfast collected ${bytes} bytes, kept ${retained}, exit code ${exitCode}`);
  return Number(handle.collected.stderr.readFrom(0).text);
}

async function childProcess() {
  const child = spawn(produce, [String(BYTES)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [bytes, kept, tail, stderr] = [0, 0, [], ''];
  child.stdout.on('data', (part) => {
    bytes += part.length;
    kept += part.length;
    tail.push(part);
    while (kept - tail[0].length >= TAIL) kept -= tail.shift().length;
  });
  child.stderr.on('data', (part) => { stderr += part; });
  const [code] = await once(child, 'close');
  if (code !== 0 || bytes !== BYTES) throw new Error(`child_process collected ${bytes} bytes, exit code ${code}`);
  return Number(stderr) || 0;
}

/** In a process of its own, as the C program has nothing else to do either. */
function rawLoop(buffer, pipeBytes) {
  const { bytes, ms, status } = JSON.parse(execFileSync(loop, [String(buffer), String(pipeBytes), produce, String(BYTES)], { stdio: ['ignore', 'pipe', 'ignore'] }));
  if (bytes !== BYTES || status !== 0) throw new Error(`the C loop read ${bytes} bytes, status ${status}`);
  return { ms };
}

const { pipeBytes } = await observed(holdfast);
console.log(`collect: ${BYTES / 1e9} GB a run, ${rounds} rounds, pipe of ${pipeBytes} bytes`);
const contenders = { holdfast: () => observed(holdfast) };
for (const buffer of BUFFERS) contenders[`C ${buffer >> 10} KiB`] = () => rawLoop(buffer, pipeBytes);
contenders['child_process'] = () => observed(childProcess);
const results = await alternate(contenders, rounds, (n, all) => {
  console.log(`  round ${n}: ${Object.entries(all).map(([name, list]) => `${name} ${(BYTES / list.at(-1).ms / 1e6).toFixed(2)}`).join(', ')} GB/s`);
});
await runtime.dispose();

const ms = (name) => results[name].map((one) => one.ms);
const best = BUFFERS.map((buffer) => `C ${buffer >> 10} KiB`).sort((a, b) => median(ms(a)) - median(ms(b)))[0];
const speed = (name) => ms(name).map((one) => BYTES / one / 1e6);
const ours = results.holdfast;
const ofLoop = ratio(ms(best), ms('holdfast'));
const busy = round(median(ours.map((one) => one.busy)) * 100);
const cpu = round(median(ours.map((one) => one.cpu)) * 100);
const grown = round(Math.max(...ours.map((one) => one.grown)) / 2 ** 20);

const met = writeResult({
  question: 'collect',
  quick,
  title: `Collecting ${BYTES / 1e9} GB of one producer into a tail of 1 MiB`,
  settings: { bytes: BYTES, tailBytes: TAIL, pipeBytes, rounds, producer: '64 KiB a write', bestLoop: best },
  figures: {
    gigabytesPerSecond: Object.fromEntries(Object.keys(results).map((name) => [name, summary(speed(name))])),
    ratioToBestLoop: ofLoop,
    ratioToChildProcess: ratio(ms('child_process'), ms('holdfast')),
    jsThread: {
      holdfast: { busyPercent: busy, cpuPercent: cpu },
      child_process: { busyPercent: round(median(results.child_process.map((one) => one.busy)) * 100), cpuPercent: round(median(results.child_process.map((one) => one.cpu)) * 100) },
    },
    memoryGrownMiB: { holdfast: grown, child_process: round(Math.max(...results.child_process.map((one) => one.grown)) / 2 ** 20) },
  },
  panels: [
    {
      title: 'Throughput', unit: 'GB/s', better: 'more',
      bars: [...['holdfast', best, 'child_process'].map((name) => ({ label: name, value: summary(speed(name)).p50, low: summary(speed(name)).min, high: summary(speed(name)).max, ours: name === 'holdfast' }))],
    },
    {
      title: 'JS thread busy meanwhile', unit: '%', better: 'less',
      bars: ['holdfast', 'child_process'].map((name) => ({ label: name, value: round(median(results[name].map((one) => one.busy)) * 100), ours: name === 'holdfast' })),
    },
  ],
  targets: [
    { name: `speed of the best C read loop (${best}), median of pairs [${ofLoop.low}, ${ofLoop.high}]`, value: ofLoop.median, limit: 0.9, at: 'least' },
    { name: 'event loop busy', value: busy, limit: 2, at: 'most', unit: ' %' },
    { name: 'CPU of the JS thread', value: cpu, limit: 2, at: 'most', unit: ' %' },
    { name: 'memory grown', value: grown, limit: 16, at: 'most', unit: ' MiB' },
  ],
});
process.exitCode = met || quick ? 0 : 1;
