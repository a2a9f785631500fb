// How long does spawn() hold the event loop, with 0.1 to 8 GB of JavaScript heap?
//
// The cost of fork() grows with the memory of who forks; ours must not. Sixty variables, a bare name in the fifth entry of
// PATH, both outputs collected, or read from pipes. Two hosts of each heap at once, so that pairs are of one moment; a heap
// for which that is too much memory is left out and named.
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { root } from './lib/compile.mjs';
import { holdfastHosts, ownerOf, strongest } from './lib/contenders.mjs';
import { withHosts } from './lib/host.mjs';
import { availableBytes } from './lib/machine.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { interval, median, ratio, summary } from './lib/stats.mjs';

const { rounds, quick } = settings({ rounds: 7 });
const HEAPS = quick ? [100, 1000] : [100, 1000, 4000, 8000];
const CALLS = quick ? 40 : 100;
const SLOW_CALLS = quick ? 5 : 10;
const label = (heapMiB) => `${heapMiB / 1000} GB`;

// Where `true` lies; resolved, because the directory may be a link.
const program = realpathSync(execFileSync('sh', ['-c', 'command -pv true; which true'], { encoding: 'utf8' }).trim().split('\n').at(-1));
const empty = Array.from({ length: 4 }, (_, i) => `${root}build/bench/path/${i}`);
for (const folder of empty) mkdirSync(folder, { recursive: true });
const env = { PATH: [...empty, dirname(program)].join(':') };
for (let i = 1; i < 60; i++) env[`VARIABLE_${i}`] = `a value of ordinary length, number ${i}`;

const ours = await holdfastHosts();
const main = strongest(ours);
const owner = ownerOf(main);
const leftOut = HEAPS.filter((heapMiB) => availableBytes() < (2 * heapMiB + 1500) * 2 ** 20);
for (const heapMiB of leftOut) console.log(`spawn: ${label(heapMiB)} is left out: two such hosts need more memory than there is`);
const heaps = HEAPS.filter((heapMiB) => !leftOut.includes(heapMiB));
console.log(`spawn: ${CALLS} calls a round and heap, ${rounds} rounds`);
const blocked = async (host, calls) => (await host.do('runAlone', { argv: ['true'], calls })).blockedMs;
const results = {};
for (const heapMiB of heaps) {
  results[heapMiB] = await withHosts({ holdfast: { ...ours[main], env, heapMiB }, child_process: { provider: 'child_process', env, heapMiB } }, ({ holdfast, child_process }) => alternate({
    holdfast: () => blocked(holdfast, CALLS),
    child_process: () => blocked(child_process, SLOW_CALLS),
  }, rounds, (n, all) => { console.log(`  ${label(heapMiB)}, round ${n}: ${Object.entries(all).map(([name, list]) => `${name} ${median(list.at(-1)).toFixed(3)}`).join(', ')} ms`); }));
}

const figures = Object.fromEntries(heaps.map((heapMiB) => [label(heapMiB), Object.fromEntries(Object.entries(results[heapMiB]).map(([name, list]) => [name, summary(list.flat())]))]));
const [smallest, largest] = [heaps[0], heaps.at(-1)];
const worst = (q) => heaps.map((heapMiB) => interval(results[heapMiB].holdfast.flat(), q)).reduce((a, b) => (a.high >= b.high ? a : b));
const medians = (heapMiB, name) => results[heapMiB][name].map(median);
writeResult({
  question: 'spawn',
  quick,
  title: 'How long spawn() holds the event loop',
  settings: { calls: CALLS * rounds, childProcessCalls: SLOW_CALLS * rounds, rounds, heapsMiB: heaps, leftOutMiB: leftOut, variables: Object.keys(env).length, pathEntry: 5, owner },
  figures: { blockedMs: figures },
  panels: heaps.map((heapMiB) => ({
    title: `${label(heapMiB)} of heap`, unit: 'ms', better: 'less', log: true,
    bars: Object.entries(figures[label(heapMiB)]).map(([name, { p50, min, p99 }]) => ({ label: name, value: p50, low: min, high: p99, ours: name === 'holdfast' })),
  })),
  measured: {
    p50: { owner, ...worst(0.5) },
    p99: { owner, ...worst(0.99) },
    ofSmallHeap: { owner, ...ratio(medians(largest, 'holdfast'), medians(smallest, 'holdfast')) },
    ofChildProcess: heaps.includes(1000) ? { owner, ...ratio(medians(1000, 'child_process'), medians(1000, 'holdfast')) } : { reason: 'there is not enough memory for two heaps of 1 GB' },
  },
  notes: ['Bars: median. Whiskers: fastest to 99th percentile.', ...leftOut.map((heapMiB) => `${label(heapMiB)}: two such hosts need more memory than there was.`)],
});
