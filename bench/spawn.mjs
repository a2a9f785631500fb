// How long does spawn() hold the event loop, with 0.1, 1 and 4 GB of JavaScript heap?
//
// The cost of fork() grows with the memory of who forks; ours must not. Sixty variables, a bare name in the fifth entry of
// PATH, both outputs collected, or read from pipes.
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { root } from './lib/compile.mjs';
import { holdfastHosts, ownerOf, strongest } from './lib/contenders.mjs';
import { withHosts } from './lib/host.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { interval, median, ratio, summary } from './lib/stats.mjs';

const { rounds, quick } = settings({ rounds: 7 });
const HEAPS = quick ? [100, 1000] : [100, 1000, 4000];
const CALLS = quick ? 40 : 150;
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

/** What each heap gave, a round: the milliseconds of each call. */
async function blocked(name, options, calls) {
  const wanted = Object.fromEntries(HEAPS.map((heapMiB) => [label(heapMiB), { ...options, env, heapMiB }]));
  return withHosts(wanted, (hosts) => alternate(
    Object.fromEntries(Object.entries(hosts).map(([heap, host]) => [heap, async () => (await host.do('runAlone', { argv: ['true'], calls })).blockedMs])),
    rounds,
    (n, all) => { console.log(`  ${name}, round ${n}: ${Object.entries(all).map(([heap, list]) => `${heap} ${median(list.at(-1)).toFixed(3)} ms`).join(', ')}`); },
  ));
}

console.log(`spawn: ${CALLS} calls a round and heap, ${rounds} rounds`);
const holdfast = await blocked(main, ours[main], CALLS);
const childProcess = await blocked('child_process', { provider: 'child_process' }, SLOW_CALLS);

const figures = {};
for (const heapMiB of HEAPS) {
  figures[label(heapMiB)] = { holdfast: summary(holdfast[label(heapMiB)].flat()), child_process: summary(childProcess[label(heapMiB)].flat()) };
}
const [smallest, largest] = [label(HEAPS[0]), label(HEAPS.at(-1))];
const worst = (q) => HEAPS.map((heapMiB) => interval(holdfast[label(heapMiB)].flat(), q)).reduce((a, b) => (a.high >= b.high ? a : b));
writeResult({
  question: 'spawn',
  quick,
  title: 'How long spawn() holds the event loop',
  settings: { calls: CALLS * rounds, childProcessCalls: SLOW_CALLS * rounds, rounds, heapsMiB: HEAPS, variables: Object.keys(env).length, pathEntry: 5, owner },
  figures: { blockedMs: figures },
  panels: HEAPS.map((heapMiB) => ({
    title: `${label(heapMiB)} of heap`, unit: 'ms', better: 'less', log: true,
    bars: Object.entries(figures[label(heapMiB)]).map(([name, { p50, min, p99 }]) => ({ label: name, value: p50, low: min, high: p99, ours: name === 'holdfast' })),
  })),
  measured: {
    p50: { owner, ...worst(0.5) },
    p99: { owner, ...worst(0.99) },
    ofSmallHeap: { owner, ...ratio(holdfast[largest].map(median), holdfast[smallest].map(median)) },
  },
  notes: ['Bars: median. Whiskers: fastest to 99th percentile.'],
});
