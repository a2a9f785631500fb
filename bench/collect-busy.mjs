// How fast is a stream collected while the JavaScript thread has other work: 9 ms on, 1 ms off?
import { compiled } from './lib/compile.mjs';
import { holdfastHosts, ownerOf, strongest } from './lib/contenders.mjs';
import { withHosts } from './lib/host.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { ratio, summary } from './lib/stats.mjs';

const { rounds, quick, bytes } = settings({ rounds: 7, bytes: 4e9, quickBytes: 1e9 });
/** For child_process, which takes longer. */
const FEWER = bytes / 8;
const produce = compiled('produce');
const job = (size, busy) => ({ argv: [produce, String(size)], tail: 1 << 20, expect: size, busy });

const ours = await holdfastHosts();
const main = strongest(ours);
const owner = ownerOf(main);
console.log(`collect-busy: ${bytes / 1e9} GB a run, ${rounds} rounds`);
const speeds = await withHosts({ holdfast: ours[main], child_process: { provider: 'child_process' } }, ({ holdfast, child_process }) => {
  const speed = async (host, size, busy) => size / (await host.do('collect', job(size, busy))).ms / 1e6;
  return alternate({
    'holdfast, idle': () => speed(holdfast, bytes, false),
    'holdfast, busy': () => speed(holdfast, bytes, true),
    'child_process, idle': () => speed(child_process, bytes, false),
    'child_process, busy': () => speed(child_process, FEWER, true),
  }, rounds, (n, all) => { console.log(`  round ${n}: ${Object.entries(all).map(([name, list]) => `${name} ${list.at(-1).toFixed(2)}`).join(', ')} GB/s`); });
});

const figures = Object.fromEntries(Object.entries(speeds).map(([name, list]) => [name, summary(list)]));
writeResult({
  question: 'collect-busy',
  quick,
  title: 'Collecting while the JavaScript thread is 90 % busy',
  settings: { bytes, busyChildProcessBytes: FEWER, tailBytes: 1 << 20, rounds, busy: '9 ms on, 1 ms off', owner },
  figures: { gigabytesPerSecond: figures },
  panels: [{
    title: 'Throughput', unit: 'GB/s', better: 'more',
    bars: Object.entries(figures).map(([label, { p50, min, max }]) => ({ label, value: p50, low: min, high: max, ours: label.startsWith('holdfast') })),
  }],
  measured: {
    ofIdle: { owner, ...ratio(speeds['holdfast, busy'], speeds['holdfast, idle']) },
    ofChildProcess: { owner, ...ratio(speeds['holdfast, busy'], speeds['child_process, busy']) },
  },
  notes: ['Bars: median; whiskers: slowest and fastest round.'],
});
