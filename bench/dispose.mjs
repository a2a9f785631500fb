// How long does it take to dispose of a runtime with a thousand live commands: such as end when they are told, and such as
// ignore it until they are killed?
import { compiled } from './lib/compile.mjs';
import { holdfastHosts, ownerOf } from './lib/contenders.mjs';
import { startHost } from './lib/host.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { interval, summary } from './lib/stats.mjs';

const { rounds, quick } = settings({ rounds: 2, quickRounds: 1 });
const COUNT = quick ? 200 : 1000;
const GRACE_MS = 1000;
const stay = compiled('stay');
const KINDS = { willing: [stay], deaf: [stay, 'deaf'] };

async function disposal(options, argv) {
  const host = await startHost(options);
  try {
    return await host.do('disposeLive', { argv, count: COUNT, graceMs: GRACE_MS });
  } finally {
    await host.end();
  }
}

const hosts = Object.fromEntries(Object.entries(await holdfastHosts()).filter(([, { user }]) => user === undefined));
console.log(`dispose: ${COUNT} live commands, grace of ${GRACE_MS} ms, ${rounds} rounds`);
const results = {};
for (const [name, options] of Object.entries(hosts)) {
  for (const [kind, argv] of Object.entries(KINDS)) {
    const label = `${ownerOf(name)}, ${kind}`;
    results[label] = [];
    for (let round = 0; round < rounds; round++) results[label].push(await disposal(options, argv));
    console.log(`  ${label}: ${results[label].map((ms) => ms.toFixed(0)).join(', ')} ms`);
  }
}

const figures = Object.fromEntries(Object.entries(results).map(([label, list]) => [label, summary(list)]));
const measured = (owner) => (results[`${owner}, deaf`] === undefined
  ? { reason: `there is no ${owner} owner here` }
  : { owner, ...interval(Object.keys(KINDS).flatMap((kind) => results[`${owner}, ${kind}`]).map((ms) => ms - GRACE_MS), 1) });
writeResult({
  question: 'dispose',
  quick,
  title: `Disposing of a runtime with ${COUNT} live commands`,
  settings: { count: COUNT, graceMs: GRACE_MS, rounds },
  figures: { milliseconds: figures },
  panels: [{ title: `dispose(), grace of ${GRACE_MS} ms`, unit: 'ms', better: 'less', bars: Object.entries(figures).map(([label, { p50, min, max }]) => ({ label, value: p50, low: min, high: max, ours: true })) }],
  measured: { cgroup: measured('cgroup'), subreaper: measured('subreaper') },
  notes: ['Bars: median; whiskers: fastest and slowest. Judged: the slowest of both kinds.'],
});
