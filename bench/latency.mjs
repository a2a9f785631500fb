// How long is it from spawn() to done of a command that does nothing: alone, 8 and 64 at once, for each owner?
//
// Against us, in the same rounds: C, where a client asks a small server that starts children by vfork, and child_process.
import { existsSync } from 'node:fs';
import { inC } from './lib/baseline.mjs';
import { holdfastHosts, ownerOf, strongest } from './lib/contenders.mjs';
import { withHosts } from './lib/host.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { median, ratio, summary } from './lib/stats.mjs';

const { rounds, quick } = settings({ rounds: 9 });
/** At once → how often in a round. */
const TIMES = quick ? { 1: 10, 64: 1 } : { 1: 50, 8: 10, 64: 2 };
const counts = Object.keys(TIMES).map(Number);
const program = ['/bin/true', '/usr/bin/true'].find((path) => existsSync(path));

const ours = await holdfastHosts();
const main = strongest(ours);
console.log(`latency: ${rounds} rounds`);
const results = await withHosts({ ...ours, child_process: { provider: 'child_process' } }, async (hosts) => {
  const found = {};
  for (const count of counts) {
    const contenders = Object.fromEntries(Object.entries(hosts).map(([name, host]) => [name, () => host.do('runTogether', { argv: [program], calls: count, times: TIMES[count] })]));
    found[count] = await alternate({ ...contenders, C: () => inC('launch', count, TIMES[count], program) }, rounds, (n, all) => {
      console.log(`  ${count} at once, round ${n}: ${Object.entries(all).map(([name, list]) => `${name} ${median(list.at(-1)).toFixed(2)}`).join(', ')} ms`);
    });
  }
  return found;
});

const figures = Object.fromEntries(counts.map((count) => [count, Object.fromEntries(Object.entries(results[count]).map(([name, list]) => [name, summary(list.flat())]))]));
/** Of the medians of the rounds, so that each pair is of one moment. */
const paired = (count, a, b) => ratio(results[count][a].map(median), results[count][b].map(median));
const against = (count, kind, other, turned = false) => {
  if (results[count] === undefined) return { reason: 'not part of the short form' };
  const name = Object.keys(ours).find((one) => ownerOf(one) === kind);
  if (name === undefined) return { reason: `there is no ${kind} owner here` };
  return { owner: kind, ...(turned ? paired(count, other, name) : paired(count, name, other)) };
};
writeResult({
  question: 'latency',
  quick,
  title: 'From spawn() to done of a command that does nothing',
  settings: { times: TIMES, rounds, program },
  figures: {
    milliseconds: figures,
    spawnsPerSecond: Object.fromEntries(counts.map((count) => [count, Object.fromEntries(Object.entries(figures[count]).map(([name, { p50 }]) => [name, Math.round(count / p50 * 1e3)]))])),
    ofC: Object.fromEntries(counts.map((count) => [count, Object.fromEntries(Object.keys(ours).map((name) => [name, paired(count, name, 'C')]))])),
  },
  panels: counts.map((count) => ({
    title: count === 1 ? 'Alone' : `${count} at once, to the last done`, unit: 'ms', better: 'less', log: true,
    bars: Object.entries(figures[count]).map(([name, { p50, min, p99 }]) => ({ label: name, value: p50, low: min, high: p99, ours: name.startsWith('holdfast') })),
  })),
  measured: {
    ...Object.fromEntries([1, 8, 64].flatMap((count) => ['cgroup', 'subreaper'].map((kind) => [`${kind}OfC${count}`, against(count, kind, 'C')]))),
    ofChildProcess: against(64, ownerOf(main), 'child_process', true),
  },
  notes: ['Bars: median. Whiskers: fastest to 99th percentile. C: a vfork server in a small process, and its client.'],
});
