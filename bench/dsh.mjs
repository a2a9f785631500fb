// What does a harness gain that changes the name of its provider?
//
// The published provider and holdfast/dsh in the same composition, both through ctx.subprocess and under the same Node 24,
// each in a process of its own. Owners as they come: nobody configures a harness's provider.
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inC } from './lib/baseline.mjs';
import { compiled } from './lib/compile.mjs';
import { describeDsh, installDsh } from './lib/dsh.mjs';
import { startHost, withHosts } from './lib/host.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { interval, median, ratio, summary } from './lib/stats.mjs';

const { rounds, quick, bytes } = settings({ rounds: 5, bytes: 2 ** 30, quickBytes: 2 ** 28 });
const CALLS = quick ? 5 : 30;
const TOGETHER = 100;
const MANY = quick ? 60 : 200;
const COUNT = 50;
const GRACE_MS = 2000;
const program = ['/bin/true', '/usr/bin/true'].find((path) => existsSync(path));
const sleeper = ['/bin/sh', '-c', 'exec sleep 600'];
const deaf = ['/bin/sh', '-c', 'trap "" TERM; echo up; while :; do sleep 1; done'];

const dsh = installDsh();
const measured = dsh.reason === undefined ? await measure() : undefined;
report(measured);

/** Everything that is asked, each question in turn to one and the other. */
async function measure() {
  // In memory where there is room, so that the disk is not what is measured.
  const base = existsSync('/dev/shm') && room('/dev/shm') > 2 * bytes ? '/dev/shm' : tmpdir();
  const folder = mkdtempSync(join(base, 'holdfast-bench-'));
  const env = { ...process.env, TMPDIR: folder };
  const wanted = { holdfast: { provider: 'holdfast-dsh', node: dsh.node, env }, dsh: { provider: 'dsh', node: dsh.node, env } };
  const produce = compiled('produce');
  const stream = { argv: [produce, String(bytes)], tail: 1 << 20, expect: bytes };
  try {
    const found = await withHosts(wanted, async (hosts) => {
      const ask = (what, job, options, times = rounds, more = {}) => alternate(
        { ...Object.fromEntries(Object.entries(hosts).map(([label, host]) => [label, () => host.do(job, options)])), ...more }, times, show(what));
      return {
        latency: await ask('latency', 'runAlone', { argv: [program], calls: CALLS }, rounds, { C: () => inC('launch', 1, CALLS, program) }),
        together: await ask('together', 'runTogether', { argv: [program], calls: MANY }, rounds, { C: () => inC('launch', MANY, 1, program) }),
        held: await ask('held', 'heldTogether', { argv: [program], calls: TOGETHER }),
        collect: await ask('collect', 'collect', stream),
        spill: await ask('spill', 'collect', { ...stream, spill: 2 * bytes }),
        idle: await ask('idle', 'pendingWaits', { argv: sleeper, count: COUNT, ms: quick ? 1000 : 3000 }, 3),
      };
    });
    return { ...found, dispose: await alternate(Object.fromEntries(Object.entries(wanted).map(([label, options]) => [label, () => disposal(options)])), quick ? 1 : 3, show('dispose')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function disposal(options) {
  const host = await startHost(options);
  try {
    return await host.do('disposeLive', { argv: deaf, count: COUNT, graceMs: GRACE_MS });
  } finally {
    await host.end();
  }
}

function room(path) {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** One figure of a round: of many calls, the median. */
function figure(one) {
  if (typeof one === 'number') return one;
  if (Array.isArray(one)) return median(one);
  return one.latencyMs === undefined ? one.ms : median(one.latencyMs);
}

function show(what) {
  return (n, all) => {
    console.log(`  ${what}, round ${n}: ${Object.entries(all).map(([name, list]) => `${name} ${figure(list.at(-1)).toFixed(2)}`).join(', ')}`);
  };
}

function report(found) {
  const of = (what, who) => found[what][who].map(figure);
  const missing = { reason: dsh.reason };
  const panel = (what, title, unit) => ({
    title, unit, better: 'less', log: true,
    bars: ['holdfast', 'dsh'].map((label) => {
      const { p50, min, max } = summary(of(what, label));
      return { label, value: p50, low: min, high: max, ours: label === 'holdfast' };
    }),
  });
  const titles = {
    latency: ['spawn to done of true', 'ms'], together: [`${MANY} at once, to the last done`, 'ms'], held: [`event loop held by ${TOGETHER} at once`, 'ms'], collect: [`collecting ${bytes / 2 ** 30} GiB`, 'ms'],
    spill: ['the same with a spill file', 'ms'], idle: [`CPU of ${COUNT} pending waits`, 'ms/s'], dispose: [`disposal with ${COUNT} live, grace ${GRACE_MS / 1000} s`, 'ms'],
  };
  writeResult({
    question: 'dsh',
    quick,
    title: 'The published provider of DeepSeek Harness and holdfast/dsh, through ctx.subprocess',
    settings: { bytes, calls: CALLS * rounds, together: MANY, held: TOGETHER, count: COUNT, graceMs: GRACE_MS, rounds, dsh: describeDsh(dsh) },
    figures: found === undefined ? {} : Object.fromEntries(Object.keys(titles).map((what) => [what, { holdfast: summary(of(what, 'holdfast')), dsh: summary(of(what, 'dsh')) }])),
    panels: found === undefined ? [] : Object.entries(titles).map(([what, [title, unit]]) => panel(what, title, unit)),
    measured: found === undefined ? Object.fromEntries(Object.keys(titles).map((what) => [what, missing])) : {
      latency: { ...ratio(of('latency', 'holdfast'), of('latency', 'dsh')), limit: ratio(of('latency', 'C'), of('latency', 'dsh')).estimate },
      together: { ...ratio(of('together', 'holdfast'), of('together', 'dsh')), limit: ratio(of('together', 'C'), of('together', 'dsh')).estimate },
      held: interval(of('held', 'holdfast')),
      collect: ratio(of('collect', 'dsh'), of('collect', 'holdfast')),
      spill: ratio(of('spill', 'dsh'), of('spill', 'holdfast')),
      idle: interval(of('idle', 'holdfast')),
      dispose: interval(of('dispose', 'holdfast').map((ms) => ms / GRACE_MS)),
    },
    notes: ['Bars: median of the rounds. Whiskers: best to worst round.'],
  });
}
