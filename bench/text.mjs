// How long does it take to have a tail of 64 MiB as a string, beside Buffer.toString of the same bytes?
import { compiled } from './lib/compile.mjs';
import { holdfastHosts, ownerOf, strongest } from './lib/contenders.mjs';
import { withHosts } from './lib/host.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { ratio, summary } from './lib/stats.mjs';

const { rounds, quick, bytes } = settings({ rounds: 25, quickRounds: 3, bytes: 64 << 20, quickBytes: 64 << 20 });
const produce = compiled('produce');
const argvs = { ASCII: [produce, String(bytes), '65536', 'stay'], 'with one character of two bytes': [produce, String(bytes), '65536', 'stay', 'é'] };

const ours = await holdfastHosts();
const main = strongest(ours);
const owner = ownerOf(main);
console.log(`text: ${bytes >> 20} MiB, ${rounds} rounds`);
const results = await withHosts({ holdfast: ours[main] }, async ({ holdfast }) => {
  const found = {};
  for (const [at, [label, argv]] of Object.entries(argvs).entries()) {
    await holdfast.do('keep', { count: 1, argv, tail: bytes, expect: bytes });
    await holdfast.do('readAll', { at, times: 2 });
    found[label] = await holdfast.do('readAll', { at, times: rounds });
    console.log(`  ${label}: ${Object.entries(found[label]).map(([name, list]) => `${name} ${summary(list).p50}`).join(', ')} ms`);
  }
  await holdfast.do('drop');
  return found;
});

const NAMES = { readFrom: 'holdfast', toString: 'Buffer.toString' };
const figures = Object.fromEntries(Object.entries(results).map(([label, all]) => [label, Object.fromEntries(Object.entries(all).map(([name, list]) => [NAMES[name], summary(list)]))]));
const faster = (label) => ({ owner, ...ratio(results[label].toString, results[label].readFrom) });
writeResult({
  question: 'text',
  quick,
  title: `A tail of ${bytes >> 20} MiB as a string`,
  settings: { bytes, rounds, owner },
  figures: { milliseconds: figures },
  panels: Object.entries(figures).map(([label, all]) => ({
    title: label, unit: 'ms', better: 'less',
    bars: Object.entries(all).map(([name, { p50, min, max }]) => ({ label: name, value: p50, low: min, high: max, ours: name === 'holdfast' })),
  })),
  measured: { ascii: faster('ASCII'), other: faster('with one character of two bytes') },
  notes: ['Bars: median; whiskers: fastest and slowest. Both in one process, in turns, each after a collection of garbage.'],
});
