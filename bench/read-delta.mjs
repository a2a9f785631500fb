// Does reading the newest 4 KiB of a stream cost what is read, or what is retained? A tail of 16 MiB beside one of 64 KiB.
import { compiled } from './lib/compile.mjs';
import { holdfastHosts, ownerOf, strongest } from './lib/contenders.mjs';
import { withHosts } from './lib/host.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { ratio, summary } from './lib/stats.mjs';

const { rounds, quick, bytes } = settings({ rounds: 9, bytes: 40e6, quickBytes: 40e6 });
const CALLS = quick ? 10_000 : 50_000;
const DELTA = 4096;
const TAILS = { '64 KiB tail': 64 << 10, '16 MiB tail': 16 << 20 };
const argv = [compiled('produce'), String(bytes), '65536', 'stay'];

const ours = await holdfastHosts();
const main = strongest(ours);
const owner = ownerOf(main);
console.log(`read-delta: ${CALLS} reads a round, ${rounds} rounds`);
const results = await withHosts({ holdfast: ours[main] }, async ({ holdfast }) => {
  const contenders = {};
  for (const [at, [label, tail]] of Object.entries(TAILS).entries()) {
    await holdfast.do('keep', { count: 1, argv, tail, expect: bytes });
    contenders[label] = () => holdfast.do('readEnd', { at, bytes: DELTA, calls: CALLS });
  }
  const all = await alternate(contenders, rounds);
  await holdfast.do('drop');
  return all;
});

const figures = Object.fromEntries(Object.entries(results).map(([label, list]) => [label, summary(list.map((ms) => ms * 1e3))]));
writeResult({
  question: 'read-delta',
  quick,
  title: 'Reading the newest 4 KiB of a stream',
  settings: { calls: CALLS * rounds, deltaBytes: DELTA, rounds, owner },
  figures: { microseconds: figures },
  panels: [{ title: 'readFrom', unit: 'µs', better: 'less', bars: Object.entries(figures).map(([label, { p50, min, max }]) => ({ label, value: p50, low: min, high: max, ours: true })) }],
  measured: { ofSmallTail: { owner, ...ratio(results['16 MiB tail'], results['64 KiB tail']) } },
  notes: ['Bars: median of the rounds; whiskers: fastest and slowest.'],
});
