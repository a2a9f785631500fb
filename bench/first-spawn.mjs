// What does the first command of a process cost, when binary, threads, warden and owner all have to be made?
import { holdfastHosts, ownerOf, strongest } from './lib/contenders.mjs';
import { fresh } from './lib/fresh.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { ratio, summary } from './lib/stats.mjs';

const { rounds, quick } = settings({ rounds: 25, quickRounds: 7 });
const ours = await holdfastHosts();
const main = strongest(ours);
const names = Object.keys(ours).filter((name) => ours[name].user === undefined);
console.log(`first-spawn: ${rounds} fresh processes each`);
const results = await alternate({
  ...Object.fromEntries(names.map((name) => [name, () => fresh('first', 'holdfast', ownerOf(name))])),
  child_process: () => fresh('first', 'child_process'),
}, rounds);

const list = (name, key) => results[name].map((one) => one[key]);
const figures = Object.fromEntries(Object.keys(results).map((name) => [name, { blockedMs: summary(list(name, 'blockedMs')), ms: summary(list(name, 'ms')) }]));
const against = (key) => ({ owner: ownerOf(main), ...ratio(list(main, key), list('child_process', key)) });
const panel = (title, key) => ({ title, unit: 'ms', better: 'less', bars: Object.entries(figures).map(([name, one]) => ({ label: name, value: one[key].p50, low: one[key].min, high: one[key].p99, ours: name !== 'child_process' })) });
for (const [name, { blockedMs, ms }] of Object.entries(figures)) console.log(`  ${name}: the call ${blockedMs.p50} ms, to its end ${ms.p50} ms`);
writeResult({
  question: 'first-spawn',
  quick,
  title: 'The first command of a process',
  settings: { rounds },
  figures,
  panels: [panel('spawn() holds the event loop', 'blockedMs'), panel('From spawn() to done of true', 'ms')],
  measured: { blocked: against('blockedMs'), done: against('ms') },
  notes: ['Bars: median. Whiskers: fastest to 99th percentile. The import is not part of it.'],
});
