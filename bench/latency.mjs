// How long is it from spawn() to done of a command that does nothing: alone, and 200 at once?
//
// Against us, in the same rounds: C with posix_spawn and waitpid, child_process, and the published dsh provider, for which
// Holdfast runs under the same Node 24 beside it.
import { existsSync } from 'node:fs';
import { inC } from './lib/baseline.mjs';
import { holdfastHosts, ownerOf, strongest } from './lib/contenders.mjs';
import { describeDsh, installDsh } from './lib/dsh.mjs';
import { withHosts } from './lib/host.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { median, ratio, summary } from './lib/stats.mjs';

const { rounds, quick } = settings({ rounds: 9 });
const CALLS = quick ? 20 : 60;
const TOGETHER = 200;
const program = ['/bin/true', '/usr/bin/true'].find((path) => existsSync(path));
const argv = [program];

const one = async (host) => (await host.do('runAlone', { argv, calls: CALLS })).latencyMs;
const many = async (host) => [(await host.do('runTogether', { argv, calls: TOGETHER })).latencyMs];
const over = (hosts, job) => Object.fromEntries(Object.entries(hosts).map(([label, host]) => [label, () => job(host)]));
const show = (what) => (n, all) => {
  console.log(`  ${what}, round ${n}: ${Object.entries(all).map(([name, list]) => `${name} ${median(list.at(-1)).toFixed(2)}`).join(', ')} ms`);
};

const ours = await holdfastHosts();
const main = strongest(ours);
console.log(`latency: ${CALLS} calls alone and ${TOGETHER} together a round, ${rounds} rounds`);
const results = await withHosts({ ...ours, child_process: { provider: 'child_process' } }, async (hosts) => ({
  alone: await alternate({ ...over(hosts, one), C: () => inC('launch', 'alone', CALLS, program) }, rounds, show('alone')),
  together: await alternate({ ...over(hosts, many), C: () => inC('launch', 'together', TOGETHER, program) }, rounds, show('together')),
}));
const dsh = installDsh();
const beside = dsh.reason !== undefined ? undefined : await withHosts({
  holdfast: { ...ours[main], node: dsh.node },
  dsh: { provider: 'dsh', node: dsh.node },
}, async (hosts) => ({
  alone: await alternate({ ...over(hosts, one), C: () => inC('launch', 'alone', CALLS, program) }, rounds, show('Node 24, alone')),
  together: await alternate({ ...over(hosts, many), C: () => inC('launch', 'together', TOGETHER, program) }, rounds, show('Node 24, together')),
}));

const figuresOf = (of) => Object.fromEntries(Object.entries(of).map(([name, list]) => [name, summary(list.flat())]));
const figures = { aloneMs: figuresOf(results.alone), togetherMs: figuresOf(results.together) };
if (beside) figures.node24 = { aloneMs: figuresOf(beside.alone), togetherMs: figuresOf(beside.together) };
/** Of the medians of the rounds, so that each pair is of one moment. */
const paired = (of, a, b) => ratio(of[a].map(median), of[b].map(median));
const ofC = (kind) => {
  const label = `holdfast ${kind}`;
  return results.alone[label] === undefined ? { reason: `there is no ${kind} owner here` } : { owner: kind, ...paired(results.alone, label, 'C') };
};
const ofDsh = (when) => (beside
  ? { owner: ownerOf(main), ...paired(beside[when], 'holdfast', 'dsh'), limit: paired(beside[when], 'C', 'dsh').estimate }
  : { reason: dsh.reason });
const panel = (title, of, whiskers) => ({
  title, unit: 'ms', better: 'less', log: true,
  bars: Object.entries(of).map(([label, all]) => ({ label, value: all.p50, low: all[whiskers[0]], high: all[whiskers[1]], ours: label.startsWith('holdfast') })),
});
writeResult({
  question: 'latency',
  quick,
  title: 'From spawn() to done of a command that does nothing',
  settings: { calls: CALLS * rounds, together: TOGETHER, rounds, program, dsh: describeDsh(dsh) },
  figures: { ...figures, aloneOfC: Object.fromEntries(Object.keys(ours).map((label) => [label, paired(results.alone, label, 'C')])) },
  panels: [
    panel('Alone', figures.aloneMs, ['min', 'p99']),
    panel(`${TOGETHER} at once, to the last done`, figures.togetherMs, ['min', 'max']),
    ...(beside ? [panel('Alone, Node 24', figures.node24.aloneMs, ['min', 'p99']), panel(`${TOGETHER} at once, Node 24`, figures.node24.togetherMs, ['min', 'max'])] : []),
  ],
  measured: {
    cgroupOfC: ofC('cgroup'),
    subreaperOfC: ofC('subreaper'),
    togetherOfChildProcess: { owner: ownerOf(main), ...paired(results.together, 'child_process', main) },
    aloneOfDsh: ofDsh('alone'),
    togetherOfDsh: ofDsh('together'),
  },
  notes: ['Bars: median. Whiskers: fastest to 99th percentile (200 at once: to slowest). C: posix_spawn and waitpid in a small process.'],
});
