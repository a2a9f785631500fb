// What do the event loop and the JavaScript thread notice of a stream that is being collected?
//
// Against us: the same Node that only idles beside the C program which does the same work, and child_process.
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUFFERS, readInC, storeInC } from './lib/baseline.mjs';
import { compiled } from './lib/compile.mjs';
import { holdfastHosts, ownerOf, strongest } from './lib/contenders.mjs';
import { withHosts } from './lib/host.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { interval, round, summary } from './lib/stats.mjs';

const { rounds, quick, bytes } = settings({ rounds: 5, quickRounds: 1, bytes: 2e9, quickBytes: 8e8 });
const TAIL = 1 << 20;
const produce = compiled('produce');
const spillDirectory = statfsSync('/dev/shm', { throwIfNoEntry: false }) ? '/dev/shm' : tmpdir();
const file = join(spillDirectory, `holdfast-bench-${process.pid}`);
const kinds = {
  collect: { size: bytes, beside: (argv, size) => readInC(BUFFERS[1], TAIL, argv, size) },
  spill: { size: bytes / 4, spill: bytes, beside: (argv, size) => storeInC('rw', BUFFERS[1], TAIL, file, argv, size) },
  lines: { size: bytes / 100, block: 40, beside: (argv, size) => readInC(BUFFERS[0], TAIL, argv, size) },
};

/** What an idle Node sees while `work` runs elsewhere. */
async function besides(host, work) {
  await host.do('beginIdle');
  await work();
  return host.do('endIdle');
}

const ours = await holdfastHosts();
const main = strongest(ours);
const owner = ownerOf(main);
const figures = {};
const measured = {};
await withHosts({ holdfast: { ...ours[main], spillDirectory }, idle: { provider: 'child_process' }, child_process: { provider: 'child_process' } }, async (hosts) => {
  for (const [kind, { size, spill, block = 65536, beside }] of Object.entries(kinds)) {
    console.log(`loop-delay: ${kind}, ${rounds} rounds`);
    const argv = [produce, String(size), String(block)];
    const job = { argv, tail: TAIL, expect: size, watchLoop: true };
    const contenders = {
      holdfast: () => hosts.holdfast.do('collect', { ...job, spill }),
      'idle Node beside C': () => besides(hosts.idle, () => beside(argv, size)),
    };
    // It has no spill of its own.
    if (spill === undefined) contenders.child_process = () => hosts.child_process.do('collect', job);
    const results = await alternate(contenders, rounds, (n, all) => {
      console.log(`  round ${n}: ${Object.entries(all).map(([name, list]) => `${name} ${list.at(-1).delayP99Ms.toFixed(2)} ms, ${((list.at(-1).jsCpuMs / list.at(-1).ms) * 100).toFixed(1)} %`).join('; ')}`);
    });
    const late = (name) => results[name].map((one) => one.delayP99Ms);
    const cpu = (name) => results[name].map((one) => (one.jsCpuMs / one.ms) * 100);
    const names = Object.keys(results);
    figures[kind] = {
      delayP99Ms: Object.fromEntries(names.map((name) => [name, summary(late(name))])),
      jsCpuPercent: Object.fromEntries(names.map((name) => [name, summary(cpu(name))])),
    };
    const beyond = late('holdfast').map((one, i) => round(one - late('idle Node beside C')[i]));
    measured[`${kind}Late`] = { owner, ...interval(beyond) };
    measured[`${kind}Cpu`] = { owner, ...interval(cpu('holdfast')) };
  }
});

const bars = (all) => Object.entries(all).map(([label, { p50, min, max }]) => ({ label, value: p50, low: min, high: max, ours: label === 'holdfast' }));
writeResult({
  question: 'loop-delay',
  quick,
  title: 'The event loop while a stream is collected',
  settings: { bytes, spillBytes: kinds.spill.size, lineBytes: kinds.lines.size, tailBytes: TAIL, rounds, owner },
  figures,
  panels: Object.entries(figures).flatMap(([kind, { delayP99Ms, jsCpuPercent }]) => [
    { title: `${kind}: event-loop delay, p99`, unit: 'ms', better: 'less', bars: bars(delayP99Ms) },
    { title: `${kind}: CPU of the JavaScript thread`, unit: '% of a core', better: 'less', bars: bars(jsCpuPercent) },
  ]),
  measured,
  notes: ['Bars: median of the rounds; whiskers: least and most. The measuring timer, every 5 ms, is in all of them.'],
});
