// How often is anything woken while a thousand waitForExit are pending and nothing happens?
//
// Counted from outside: what every thread of the host, of the warden and of its supervisors was switched to.
import { setTimeout as sleep } from 'node:timers/promises';
import { compiled } from './lib/compile.mjs';
import { holdfastHosts, ownerOf } from './lib/contenders.mjs';
import { startHost } from './lib/host.mjs';
import { copiesOf, cpuMsOf, wakeUpsOf, wakeUpsOfAll } from './lib/machine.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { interval, summary } from './lib/stats.mjs';

const { rounds, quick } = settings({ rounds: 1, quickRounds: 1 });
const COUNT = quick ? 100 : 1000;
const SECONDS = quick ? 2 : 10;
const argv = [compiled('stay')];

async function pending(options) {
  const host = await startHost(options);
  try {
    await host.do('pend', { count: COUNT, argv });
    const { warden } = await host.do('diagnose');
    const all = [host.pid, warden.pid, ...copiesOf(warden.pid)];
    await sleep(1500); // what has just started settles: V8 collects, and glibc's threads go to sleep
    const js = wakeUpsOf(host.pid, host.pid);
    const [wakeUps, cpu] = [wakeUpsOfAll(all), all.reduce((sum, pid) => sum + cpuMsOf(pid), 0)];
    await sleep(SECONDS * 1000);
    const found = { wakeUps: wakeUpsOfAll(all) - wakeUps, ofJs: wakeUpsOf(host.pid, host.pid) - js, cpuMs: all.reduce((sum, pid) => sum + cpuMsOf(pid), 0) - cpu, processes: all.length };
    await host.do('drop');
    return found;
  } finally {
    await host.end();
  }
}

const results = {};
console.log(`idle: ${COUNT} pending waits, ${SECONDS} s, ${rounds} rounds`);
for (const [name, options] of Object.entries(await holdfastHosts())) {
  if (options.user !== undefined) continue;
  results[name] = [];
  for (let round = 0; round < rounds; round++) results[name].push(await pending(options));
  console.log(`  ${name}: ${results[name].map(({ wakeUps, ofJs, cpuMs, processes }) => `${wakeUps} wake-ups (${ofJs} of the JS thread), ${cpuMs.toFixed(2)} ms of CPU in ${processes} processes`).join('; ')}`);
}

const list = (name, key) => results[name].map((one) => one[key]);
const measured = (kind, key) => {
  const name = `holdfast ${kind}`;
  return results[name] === undefined ? { reason: `there is no ${kind} owner here` } : { owner: kind, ...interval(list(name, key)) };
};
writeResult({
  question: 'idle',
  quick,
  title: `${COUNT} pending waits, ${SECONDS} seconds of nothing`,
  settings: { count: COUNT, seconds: SECONDS, rounds },
  figures: Object.fromEntries(Object.keys(results).map((name) => [name, { wakeUps: summary(list(name, 'wakeUps')), ofJs: summary(list(name, 'ofJs')), cpuMs: summary(list(name, 'cpuMs')) }])),
  panels: [{ title: 'Wake-ups of all threads', unit: 'wake-ups', better: 'less', bars: Object.keys(results).map((name) => { const { p50, min, max } = summary(list(name, 'wakeUps')); return { label: name, value: p50, low: min, high: max, ours: true }; }) }],
  measured: Object.fromEntries(['cgroup', 'subreaper'].flatMap((kind) => [[`${kind}Js`, measured(kind, 'ofJs')], [kind, measured(kind, 'wakeUps')]])),
  notes: ['Host, warden and supervisors, counted from outside.'],
});
