// How long after its last process has ended does waitForExit say that a range is empty?
//
// The command ends at once and leaves a daemon, forked twice and in a session of its own, that prints the time as its last
// act. Beside us: a C program that is a child subreaper and blocks in waitpid.
import { inC } from './lib/baseline.mjs';
import { compiled } from './lib/compile.mjs';
import { holdfastHosts } from './lib/contenders.mjs';
import { withHosts } from './lib/host.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { interval, median, summary } from './lib/stats.mjs';

const { rounds, quick } = settings({ rounds: 7 });
const CALLS = quick ? 10 : 30;
const LIVES_MS = 5;
const leave = compiled('leave');

const ours = await holdfastHosts();
console.log(`exit-to-wait: ${CALLS} ranges a round, ${rounds} rounds`);
const results = await withHosts(ours, (hosts) => alternate({
  ...Object.fromEntries(Object.entries(hosts).map(([label, host]) => [label, () => host.do('waitAfterExit', { argv: [leave, String(LIVES_MS)], calls: CALLS })])),
  'C, waitpid': () => inC('leave', LIVES_MS, 'wait', CALLS),
}, rounds, (n, all) => {
  console.log(`  round ${n}: ${Object.entries(all).map(([name, list]) => `${name} ${median(list.at(-1)).toFixed(2)}`).join(', ')} ms`);
}));

const figures = Object.fromEntries(Object.entries(results).map(([label, list]) => [label, summary(list.flat())]));
const measured = (kind) => {
  const list = results[`holdfast ${kind}`];
  return list === undefined ? { reason: `there is no ${kind} owner here` } : { owner: kind, ...interval(list.flat()) };
};
writeResult({
  question: 'exit-to-wait',
  quick,
  title: 'From the last exit in a range to waitForExit',
  settings: { calls: CALLS * rounds, rounds, daemonLivesMs: LIVES_MS },
  figures: { milliseconds: figures },
  panels: [{
    title: 'Delay', unit: 'ms', better: 'less', log: true,
    bars: Object.entries(figures).map(([label, { p50, min, p99 }]) => ({ label, value: p50, low: min, high: p99, ours: label.startsWith('holdfast') })),
  }],
  measured: { cgroup: measured('cgroup'), subreaper: measured('subreaper') },
  notes: ['Bars: median. Whiskers: fastest to 99th percentile. Printing the time is part of the delay.'],
});
