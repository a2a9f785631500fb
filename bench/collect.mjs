// How fast is one stream collected: three tails, four sizes of the producer's writes, with the JavaScript thread idle and
// with it 90 % busy?
//
// Against us in each round: a C program that only reads, on a pipe of the size that we use, with the buffer that was the
// best for that size of writes. Others than C are in bench/peers.mjs.
import { bestBuffer, readInC } from './lib/baseline.mjs';
import { compiled } from './lib/compile.mjs';
import { holdfastHosts, ownerOf, strongest } from './lib/contenders.mjs';
import { withHosts } from './lib/host.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { interval, meanRatio, ratio, summary } from './lib/stats.mjs';

const { rounds, quick, bytes } = settings({ rounds: 7, bytes: 1.2e9, quickBytes: 2e8 });
const size = (value) => (value < 1 << 20 ? `${value < 1024 ? value / 1024 : value >> 10} KiB` : `${value >> 20} MiB`);
/** Bytes of a write → the share of the bytes that keeps a cell below a second. */
const WRITES = quick ? { 65536: 1 } : { 512: 0.15, 4096: 0.6, 65536: 1, [1 << 20]: 1 };
const TAILS = quick ? [1 << 20] : [64 << 10, 1 << 20, 64 << 20];
const produce = compiled('produce');

const ours = await holdfastHosts();
const main = strongest(ours);
const owner = ownerOf(main);
const results = {};
await withHosts({ holdfast: ours[main] }, async ({ holdfast }) => {
  for (const [write, share] of Object.entries(WRITES).map(([key, value]) => [Number(key), value])) {
    const total = Math.floor((bytes * share) / write) * write;
    const argv = [produce, String(total), String(write)];
    const job = (tail, busy) => ({ argv, tail, expect: total, busy });
    const { pipeBytes } = await holdfast.do('collect', job(1 << 20, false));
    const buffer = await bestBuffer((one) => readInC(one, pipeBytes, argv, total));
    for (const tail of TAILS) {
      const label = `tail ${size(tail)}, writes of ${size(write)}`;
      const all = await alternate({
        holdfast: () => holdfast.do('collect', job(tail, false)),
        C: () => readInC(buffer, pipeBytes, argv, total),
        busy: () => holdfast.do('collect', job(tail, true)),
      }, rounds);
      results[label] = { tail, write, total, buffer, all };
      console.log(`  ${label}: ${Object.entries(all).map(([name, list]) => `${name} ${summary(list.map((one) => total / one.ms / 1e6)).p50}`).join(', ')} GB/s (C: buffer of ${size(buffer)})`);
    }
  }
});

const cells = Object.values(results);
const list = ({ all }, name, key) => all[name].map((one) => one[key]);
const pairs = (some, over, under, key = 'ms') => some.map((cell) => [list(cell, over, key), list(cell, under, key)]);
const speeds = (cell) => Object.fromEntries(Object.keys(cell.all).map((name) => [name, summary(list(cell, name, 'ms').map((ms) => cell.total / ms / 1e6))]));
const ofTail = (tail) => {
  const some = cells.filter((cell) => cell.tail === tail);
  return some.length === 0 ? { reason: 'not part of the short form' } : { owner, ...meanRatio(pairs(some, 'C', 'holdfast')) };
};
const perCell = (use) => Object.fromEntries(Object.entries(results).map(([label, cell]) => [label, use(cell)]));
writeResult({
  question: 'collect',
  quick,
  title: 'Collecting one stream',
  settings: { bytes: Object.fromEntries(cells.map(({ write, total }) => [size(write), total])), rounds, busy: '9 ms on, 1 ms off', bufferOfC: perCell(({ buffer }) => size(buffer)), owner },
  figures: {
    gigabytesPerSecond: perCell(speeds),
    ofC: perCell((cell) => ratio(list(cell, 'C', 'ms'), list(cell, 'holdfast', 'ms'))),
    busyOfC: perCell((cell) => ratio(list(cell, 'C', 'ms'), list(cell, 'busy', 'ms'))),
    readerCpuMsPerGB: perCell((cell) => Object.fromEntries(['holdfast', 'C'].map((name) => [name, summary(list(cell, name, 'cpuMs').map((ms) => (ms / cell.total) * 1e9))]))),
  },
  panels: Object.entries(results).map(([label, cell]) => ({
    title: label, unit: 'GB/s', better: 'more',
    bars: Object.entries(speeds(cell)).map(([name, { p50, min, max }]) => ({ label: name === 'busy' ? 'holdfast, JS thread 90 % busy' : name, value: p50, low: min, high: max, ours: name !== 'C' })),
  })),
  measured: {
    ofC64KiB: ofTail(64 << 10),
    ofC1MiB: ofTail(1 << 20),
    ofC64MiB: ofTail(64 << 20),
    busyOfC: { owner, ...meanRatio(pairs(cells, 'C', 'busy')) },
    busyOfIdle: { owner, ...meanRatio(pairs(cells, 'holdfast', 'busy')) },
    cpuOfC: { owner, ...meanRatio(pairs(cells, 'holdfast', 'C', 'cpuMs')) },
    jsCpu: { owner, ...interval(cells.flatMap((cell) => cell.all.holdfast.map(({ jsCpuMs, ms }) => (jsCpuMs / ms) * 100))) },
  },
  notes: ['Bars: median; whiskers: slowest and fastest round. Rows: of each round the geometric mean of its cells.'],
});
