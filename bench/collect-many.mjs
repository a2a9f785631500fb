// How fast are 2, 8 and 64 producers at once collected, and does each get its share?
//
// Against us in each round: a C program with one epoll loop, with the buffer that was best for two producers.
import { bestBuffer, readManyInC } from './lib/baseline.mjs';
import { compiled } from './lib/compile.mjs';
import { holdfastHosts, ownerOf, strongest } from './lib/contenders.mjs';
import { withHosts } from './lib/host.mjs';
import { monotonicMs } from './lib/machine.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { interval, ratio, summary } from './lib/stats.mjs';

const { rounds, quick, bytes } = settings({ rounds: 7, bytes: 2e9, quickBytes: 1e9 });
const COUNTS = [2, 8, 64];
const TAIL = 1 << 20;
/** Longer than one start takes, on a busy machine. */
const START_MS = 15;
const produce = compiled('produce');
const eachOf = (count) => Math.floor(bytes / count / 65536) * 65536;

const ours = await holdfastHosts();
const main = strongest(ours);
const owner = ownerOf(main);
console.log(`collect-many: ${bytes / 1e9} GB a run, ${rounds} rounds`);
const results = await withHosts({ holdfast: ours[main] }, async ({ holdfast }) => {
  const found = {};
  // All begin at one moment, when the last of them has surely been started.
  const job = (count) => {
    const at = Math.ceil(monotonicMs() + 100 + count * START_MS);
    return { count, at, each: eachOf(count), argv: [produce, String(eachOf(count)), '65536', String(at)], tail: TAIL };
  };
  const inC = (buffer, count) => { const { argv, each, at } = job(count); return readManyInC(buffer, TAIL, count, argv, each, at); };
  const buffer = await bestBuffer((one) => inC(one, 2));
  for (const count of COUNTS) {
    found[count] = await alternate({ holdfast: () => holdfast.do('collectMany', job(count)), C: () => inC(buffer, count) }, rounds, (n, all) => {
      console.log(`  ${count}, round ${n}: ${Object.entries(all).map(([name, list]) => `${name} ${(list.at(-1).bytes / list.at(-1).ms / 1e6).toFixed(2)}`).join(', ')} GB/s, slowest ${all.holdfast.at(-1).fairness.toFixed(2)} of the mean`);
    });
  }
  return found;
});

const ms = (count, name) => results[count][name].map((one) => one.ms);
const fairness = (count) => results[count].holdfast.map((one) => one.fairness);
const figures = Object.fromEntries(COUNTS.map((count) => [count, Object.fromEntries(['holdfast', 'C'].map((name) => [name, summary(results[count][name].map((one) => one.bytes / one.ms / 1e6))]))]));
writeResult({
  question: 'collect-many',
  quick,
  title: 'Collecting several producers at once',
  settings: { bytes, tailBytes: TAIL, rounds, owner },
  figures: { gigabytesPerSecond: figures, slowestOfMean: Object.fromEntries(COUNTS.map((count) => [count, summary(fairness(count))])) },
  panels: COUNTS.map((count) => ({
    title: `${count} producers`, unit: 'GB/s', better: 'more',
    bars: Object.entries(figures[count]).map(([label, { p50, min, max }]) => ({ label, value: p50, low: min, high: max, ours: label === 'holdfast' })),
  })),
  measured: Object.fromEntries(COUNTS.flatMap((count) => [
    [`ofC${count}`, { owner, ...ratio(ms(count, 'C'), ms(count, 'holdfast')) }],
    [`fair${count}`, { owner, ...interval(fairness(count)) }],
  ])),
  notes: ['Bars: median; whiskers: slowest and fastest round. Shares are those of the moment when the first producer was done.'],
});
