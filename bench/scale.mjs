// What do 500 and 2,000 live commands cost, both streams collected: memory, CPU, and anything while nothing happens?
// And what is said at a limit?
//
// Each number in a host of its own. 10,000 are tried where the limits of this machine let them; if not, the limit is named.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiled } from './lib/compile.mjs';
import { holdfastHosts, ownerOf, strongest } from './lib/contenders.mjs';
import { startHost } from './lib/host.mjs';
import { availableBytes, copiesOf, cpuMsOf, memoryOf, privateMemoryOf } from './lib/machine.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { interval, summary } from './lib/stats.mjs';

const { rounds, quick } = settings({ rounds: 2, quickRounds: 1 });
const COUNTS = quick ? [100, 200] : [100, 500, 2000];
const MOST = 10_000;
const [few, least, most] = [COUNTS[0], COUNTS[1], COUNTS.at(-1)];
const IDLE_MS = quick ? 500 : 2000;
const argv = [compiled('stay')];

/** The limit that stands in the way of `count` commands here, if one does. */
function limitOf(count) {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const soft = (name) => Number(new RegExp(`^${name}\\s+(\\d+)`, 'm').exec(limits)?.[1] ?? Infinity);
  const pidMax = Number(readFileSync('/proc/sys/kernel/pid_max', 'utf8'));
  if (soft('Max open files') < 2 * count + 100) return `${count} commands need ${2 * count + 100} descriptors, and RLIMIT_NOFILE is ${soft('Max open files')}`;
  if (Math.min(soft('Max processes'), pidMax) < 2 * count) return `${count} commands and their holders need ${2 * count} processes, and the limit is ${Math.min(soft('Max processes'), pidMax)}`;
  if (availableBytes() < count * 600 * 1024) return `${count} commands need ${Math.round(count * 600 / 2 ** 20)} GiB`;
  return undefined;
}

/** A fresh host with `count` commands that stay: what they have cost, in all. */
async function held(options, count) {
  const host = await startHost(options);
  try {
    await host.do('runTogether', { argv: ['true'], calls: 20 });
    const { warden } = await host.do('diagnose');
    const ourProcesses = () => [host.pid, ...(warden.pid === undefined ? [] : [warden.pid, ...copiesOf(warden.pid)])];
    await host.do('heapBytes');
    const [memory, cpu, begin] = [memoryOf(host.pid), cpuMsOf(host.pid), performance.now()];
    await host.do('pend', { count, argv });
    const [ms, cpuMs] = [performance.now() - begin, cpuMsOf(host.pid) - cpu];
    await host.do('heapBytes');
    const hostBytes = memoryOf(host.pid) - memory;
    const all = ourProcesses();
    const idle = all.reduce((sum, pid) => sum + cpuMsOf(pid), 0);
    await sleep(IDLE_MS);
    const idleCpu = (all.reduce((sum, pid) => sum + cpuMsOf(pid), 0) - idle) / IDLE_MS * 1e3;
    const [wardenKiB = 0, ...supervisorsKiB] = all.slice(1).map((pid) => privateMemoryOf(pid) / 1024);
    await host.do('drop');
    return { msEach: ms / count, cpuMsEach: cpuMs / count, hostKiBEach: hostBytes / 1024 / count, idleCpu, wardenKiB, supervisorKiB: Math.max(0, ...supervisorsKiB) };
  } finally {
    await host.end();
  }
}

/** What is said when there are no descriptors left. */
async function refused(options) {
  const host = await startHost(options);
  try {
    await host.do('runTogether', { argv: ['true'], calls: 1 });
    execFileSync('prlimit', ['--pid', String(host.pid), '--nofile=120:120']);
    const answer = await host.do('untilRefused', { argv, most: 200 });
    await host.do('drop');
    return answer;
  } finally {
    await host.end();
  }
}

const hosts = Object.fromEntries(Object.entries(await holdfastHosts()).filter(([, { user }]) => user === undefined));
const main = strongest(hosts);
console.log(`scale: ${COUNTS.join(', ')} live commands, ${rounds} rounds`);
const results = {};
for (const [name, options] of Object.entries(hosts)) {
  results[name] = {};
  for (const count of COUNTS) {
    results[name][count] = [];
    for (let round = 0; round < rounds; round++) results[name][count].push(await held(options, count));
    const last = results[name][count].at(-1);
    console.log(`  ${name}, ${count}: ${Object.entries(last).map(([key, value]) => `${key} ${value.toFixed(2)}`).join(', ')}`);
  }
}
const limit = limitOf(MOST);
const tenThousand = quick ? { reason: 'not part of the short form' } : limit === undefined ? await held(hosts[main], MOST) : { reason: limit };
const refusal = await refused(hosts[main]);
console.log(`  10,000: ${tenThousand.reason ?? JSON.stringify(tenThousand)}\n  at a limit: ${JSON.stringify(refusal)}`);

const list = (name, count, key) => results[name][count].map((one) => one[key]);
const worst = (use) => Object.keys(results).map((name) => ({ owner: ownerOf(name), ...interval(use(name)) })).reduce((a, b) => (a.high >= b.high ? a : b));
const linear = (key) => worst((name) => list(name, most, key).map((one, i) => one / list(name, least, key)[i]));
const held100 = (kind, key) => {
  const name = Object.keys(results).find((one) => ownerOf(one) === kind);
  return name === undefined ? { reason: `there is no ${kind} owner here` } : { owner: kind, ...interval(list(name, few, key)) };
};
const exactly = (value) => ({ estimate: value, low: value, high: value, n: 1 });
const panel = (title, unit, key) => ({
  title, unit, better: 'less',
  bars: Object.keys(results).flatMap((name) => COUNTS.map((count) => { const { p50, min, max } = summary(list(name, count, key)); return { label: `${ownerOf(name)}, ${count}`, value: p50, low: min, high: max, ours: true }; })),
});
writeResult({
  question: 'scale',
  quick,
  title: 'Many commands that live at once',
  settings: { counts: COUNTS, rounds, idleMs: IDLE_MS },
  figures: {
    ...Object.fromEntries(Object.entries(results).map(([name, byCount]) => [name, Object.fromEntries(COUNTS.map((count) => [count, Object.fromEntries(Object.keys(byCount[count][0]).map((key) => [key, summary(list(name, count, key))]))]))])),
    tenThousand, refusal,
  },
  panels: [panel('Memory of the host for each', 'KiB', 'hostKiBEach'), panel('From the first spawn until all have printed, for each', 'ms', 'msEach'), panel('CPU of the host for each', 'ms', 'cpuMsEach')],
  measured: {
    each: worst((name) => list(name, most, 'hostKiBEach')),
    memoryLinear: linear('hostKiBEach'),
    cpuLinear: linear('cpuMsEach'),
    idle: worst((name) => list(name, most, 'idleCpu')),
    limitIsTyped: exactly(refusal.error?.code === 'EMFILE' && typeof refusal.error.stage === 'string' ? 1 : 0),
    wardenCgroup: held100('cgroup', 'wardenKiB'),
    wardenSubreaper: held100('subreaper', 'wardenKiB'),
    supervisor: held100('subreaper', 'supervisorKiB'),
  },
  notes: ['Bars: median; whiskers: least and most. Memory: PSS, after a collection of garbage; of warden and supervisors what they alone have written, without the pages of their program.', `10,000 at once: ${tenThousand.reason ?? `${tenThousand.hostKiBEach.toFixed(1)} KiB and ${tenThousand.msEach.toFixed(2)} ms each`}.`],
});
