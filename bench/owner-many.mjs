// What do the holders of a hundred ranges need, and do a thousand ranges live at once?
//
// Memory is what nobody else shares (Private_Clean and Private_Dirty), of the warden and of each supervisor.
import { realpathSync } from 'node:fs';
import { holdfastHosts, ownerOf } from './lib/contenders.mjs';
import { withHosts } from './lib/host.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { interval, summary } from './lib/stats.mjs';

const { rounds, quick } = settings({ rounds: 5, quickRounds: 1 });
const [FEW, MANY] = [100, 1000];
const argv = [realpathSync('/bin/sleep'), '600'];

/** A host of its own for each, so that what a thousand have needed once is not counted for a hundred. */
async function hold(count) {
  return withHosts(await holdfastHosts(), (hosts) => alternate(
    Object.fromEntries(Object.entries(hosts).map(([label, host]) => [label, () => host.do('holdMany', { count, argv })])),
    rounds,
    (n, all) => { console.log(`  ${count} ranges, round ${n}: ${Object.entries(all).map(([name, list]) => `${name} ${list.at(-1).alive} at once, there in ${list.at(-1).startedMs.toFixed(0)} ms, gone in ${list.at(-1).endedMs.toFixed(0)} ms`).join('; ')}`); },
  ));
}

console.log(`owner-many: ${rounds} rounds`);
const few = await hold(FEW);
const many = await hold(MANY);

const largest = (label, field) => few[label].map((one) => Math.max(0, ...one[field]));
const figures = Object.fromEntries(Object.keys(few).map((label) => [label, {
  wardenKiB: summary(largest(label, 'wardenKiB')),
  ...(ownerOf(label) === 'cgroup' ? {} : { supervisorKiB: summary(largest(label, 'supervisorKiB')) }),
  thousandStartedMs: summary(many[label].map((one) => one.startedMs)),
  thousandEndedMs: summary(many[label].map((one) => one.endedMs)),
}]));
const measured = (kind, values) => {
  const label = `holdfast ${kind}`;
  return few[label] === undefined ? { reason: `there is no ${kind} owner here` } : { owner: kind, ...interval(values(label)) };
};
const livedAndEnded = (label) => many[label].map((one) => Math.min(one.alive, MANY - one.left));
writeResult({
  question: 'owner-many',
  quick,
  title: 'A hundred ranges, and a thousand',
  settings: { rounds, few: FEW, many: MANY },
  figures,
  panels: [
    { title: `Private memory of the warden, ${FEW} ranges`, unit: 'KiB', better: 'less', bars: Object.entries(figures).map(([label, { wardenKiB }]) => ({ label, value: wardenKiB.p50, low: wardenKiB.min, high: wardenKiB.max, ours: true })) },
    { title: `${MANY} ranges: until all are there`, unit: 'ms', better: 'less', bars: Object.entries(figures).map(([label, { thousandStartedMs }]) => ({ label, value: thousandStartedMs.p50, low: thousandStartedMs.min, high: thousandStartedMs.max, ours: true })) },
  ],
  measured: {
    wardenCgroup: measured('cgroup', (label) => largest(label, 'wardenKiB')),
    wardenSubreaper: measured('subreaper', (label) => largest(label, 'wardenKiB')),
    supervisor: measured('subreaper', (label) => largest(label, 'supervisorKiB')),
    liveCgroup: measured('cgroup', livedAndEnded),
    liveSubreaper: measured('subreaper', livedAndEnded),
  },
  notes: ['Bars: median. Whiskers: smallest and largest. Of the supervisors the one that needs most.'],
});
