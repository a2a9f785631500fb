// How long from terminate() until a tree of a hundred processes is proven to be gone?
//
// Beside us: a C program that has the same tree in a cgroup, writes to cgroup.kill and polls cgroup.events: no TERM stage, no
// report, no other process to tell. The tree does not resist; TERM ends it.
import { readFileSync } from 'node:fs';
import { inC } from './lib/baseline.mjs';
import { compiled } from './lib/compile.mjs';
import { holdfastHosts, ownerOf } from './lib/contenders.mjs';
import { withHosts } from './lib/host.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { median, ratio, summary } from './lib/stats.mjs';

const { rounds, quick } = settings({ rounds: 9 });
const CALLS = quick ? 3 : 10;
const PROCESSES = 100;
const BASELINE = 'C, cgroup.kill';
const tree = compiled('tree');

const hosts = await holdfastHosts();
const mount = /^\S+ (\S+) cgroup2 /m.exec(readFileSync('/proc/self/mounts', 'utf8'))?.[1];
const own = mount + /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
const inCgroup = Object.keys(hosts).some((label) => ownerOf(label) === 'cgroup');

console.log(`owner-terminate: ${CALLS} trees a round, ${rounds} rounds`);
const results = await withHosts(hosts, (started) => alternate({
  ...(inCgroup ? { [BASELINE]: () => inC('tree', 'kill', CALLS, own) } : {}),
  ...Object.fromEntries(Object.entries(started).map(([label, host]) => [label, () => host.do('endRanges', { argv: [tree], expect: PROCESSES, calls: CALLS })])),
}, rounds, (n, all) => {
  console.log(`  round ${n}: ${Object.entries(all).map(([name, list]) => `${name} ${median(list.at(-1)).toFixed(2)}`).join(', ')} ms`);
}));

const figures = Object.fromEntries(Object.entries(results).map(([label, list]) => [label, summary(list.flat())]));
const measured = (kind) => {
  const list = results[`holdfast ${kind}`];
  if (list === undefined) return { reason: `there is no ${kind} owner here` };
  if (!inCgroup) return { reason: 'there is no cgroup here in which the C program could work' };
  return { owner: kind, ...ratio(list.map(median), results[BASELINE].map(median)) };
};
writeResult({
  question: 'owner-terminate',
  quick,
  title: 'From terminate() to an empty range of a hundred processes',
  settings: { trees: CALLS * rounds, rounds, processes: PROCESSES },
  figures: { milliseconds: figures },
  panels: [{
    title: 'Until nobody is left', unit: 'ms', better: 'less', log: true,
    bars: Object.entries(figures).map(([label, { p50, min, p99 }]) => ({ label, value: p50, low: min, high: p99, ours: label.startsWith('holdfast') })),
  }],
  measured: { cgroupOfC: measured('cgroup'), subreaperOfC: measured('subreaper') },
  notes: ['Bars: median. Whiskers: fastest to 99th percentile.'],
});
