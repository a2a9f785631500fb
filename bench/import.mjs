// What does `import 'holdfast'` cost, and does it start or open anything?
import { root } from './lib/compile.mjs';
import { fresh } from './lib/fresh.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { interval, summary } from './lib/stats.mjs';

const { rounds, quick } = settings({ rounds: 25, quickRounds: 7 });
const WHAT = { holdfast: `${root}dist/index.js`, 'node:child_process': 'node:child_process', 'an empty module': 'data:text/javascript,' };
console.log(`import: ${rounds} fresh processes each`);
const results = await alternate(Object.fromEntries(Object.entries(WHAT).map(([name, module]) => [name, () => fresh('imported', module)])), rounds);

const list = (name, key) => results[name].map((one) => one[key]);
const figures = Object.fromEntries(Object.keys(results).map((name) => [name, summary(list(name, 'ms'))]));
for (const [name, { p50, min }] of Object.entries(figures)) console.log(`  ${name}: ${p50} ms (fastest ${min})`);
writeResult({
  question: 'import',
  quick,
  title: 'Importing the package',
  settings: { rounds },
  figures: { milliseconds: figures },
  panels: [{ title: 'import', unit: 'ms', better: 'less', bars: Object.entries(figures).map(([name, { p50, min, p99 }]) => ({ label: name, value: p50, low: min, high: p99, ours: name === 'holdfast' })) }],
  measured: { ms: interval(list('holdfast', 'ms')), threads: interval(list('holdfast', 'threads'), 1), descriptors: interval(list('holdfast', 'descriptors'), 1) },
  notes: ['Bars: median. Whiskers: fastest to 99th percentile. Each in a fresh process.'],
});
