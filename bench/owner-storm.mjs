// How long does it take to end a storm of forks, and does the event loop notice?
//
// The storm fills a limit of 256 processes, forks again whenever one of them dies, ignores TERM and puts each process into a
// session of its own. The grace is one millisecond, so that nearly all of the time is that of the KILL. Beside us: a C program
// that writes to cgroup.kill, and whose thread sleeps a millisecond again and again meanwhile.
import { readFileSync } from 'node:fs';
import { inC } from './lib/baseline.mjs';
import { compiled } from './lib/compile.mjs';
import { holdfastHosts, ownerOf } from './lib/contenders.mjs';
import { withHosts } from './lib/host.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { interval, median, summary } from './lib/stats.mjs';

const { rounds, quick } = settings({ rounds: 9 });
const [USER, PROCESSES, SECONDS] = [63401, 256, 20];
const isRoot = process.getuid() === 0;
const BASELINE = 'C, cgroup.kill';
const command = [compiled('storm'), ...[USER, PROCESSES, SECONDS].map(String)];

// Who is capped has to be another user than the host, and to end him the host has to be root.
const all = await holdfastHosts();
const hosts = isRoot ? Object.fromEntries(Object.entries(all).filter(([, { user }]) => user === undefined)) : {};
const mount = /^\S+ (\S+) cgroup2 /m.exec(readFileSync('/proc/self/mounts', 'utf8'))?.[1];
const own = mount + /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
const inCgroup = Object.keys(hosts).some((label) => ownerOf(label) === 'cgroup');
console.log(`owner-storm: ${rounds} rounds`);
const results = await withHosts(hosts, (started) => alternate(
  {
    ...(inCgroup ? { [BASELINE]: () => inC('storm-end', own, ...command) } : {}),
    ...Object.fromEntries(Object.entries(started).map(([label, host]) => [label, () => host.do('endRange', { argv: command, expect: 1, graceMs: 1 })])),
  },
  rounds,
  (n, list) => { console.log(`  round ${n}: ${Object.entries(list).map(([name, rows]) => `${name} ${rows.at(-1).ms.toFixed(0)} ms, loop ${rows.at(-1).delayP99Ms.toFixed(1)} ms late`).join(', ')}`); },
));

const of = (label, field) => results[label].map((one) => one[field]);
const figures = Object.fromEntries(Object.keys(results).map((label) => [label, { ms: summary(of(label, 'ms')), delayP99Ms: summary(of(label, 'delayP99Ms')) }]));
const measured = (kind, field) => {
  const label = Object.keys(results).find((one) => ownerOf(one) === kind);
  if (label === undefined) return { reason: isRoot ? `there is no ${kind} owner here` : 'only root can start a storm that is capped' };
  return { owner: kind, ...interval(of(label, field)), ...(inCgroup ? { limit: median(of(BASELINE, field)) } : {}) };
};
const bars = (field) => Object.entries(figures).map(([label, one]) => ({ label, value: one[field].p50, low: one[field].min, high: one[field].max, ours: label !== BASELINE }));
writeResult({
  question: 'owner-storm',
  quick,
  title: 'The end of a storm of 256 forking processes',
  settings: { rounds, processes: PROCESSES, graceMs: 1 },
  figures,
  panels: [
    { title: 'Until nobody is left', unit: 'ms', better: 'less', log: true, bars: bars('ms') },
    { title: 'Delay of the event loop meanwhile, p99', unit: 'ms', better: 'less', log: true, bars: bars('delayP99Ms') },
  ],
  measured: { cgroup: measured('cgroup', 'ms'), subreaper: measured('subreaper', 'ms'), cgroupLate: measured('cgroup', 'delayP99Ms'), subreaperLate: measured('subreaper', 'delayP99Ms') },
  notes: ['Bars: median. Whiskers: fastest and slowest. The delay of C is that of a thread that sleeps a millisecond again and again.'],
});
