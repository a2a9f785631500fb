// How much memory does it take: after a long stream, for a hundred streams at once, for a thousand handles that have ended?
//
// PSS of the host, the warden and its supervisors together, each time in a fresh host that has run a few commands.
import { compiled } from './lib/compile.mjs';
import { holdfastHosts, ownerOf, strongest } from './lib/contenders.mjs';
import { startHost } from './lib/host.mjs';
import { copiesOf, memoryOf } from './lib/machine.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { interval, summary } from './lib/stats.mjs';

const { rounds, quick, bytes } = settings({ rounds: 2, quickRounds: 1, bytes: 4e9, quickBytes: 5e8 });
const TAIL = 1 << 20;
const TOGETHER = 100;
const FINISHED = 1000;
const produce = compiled('produce');
const finishing = (count) => ({ count, argv: ['printf', '%0200d', '0'], tail: 65536 });
const staying = (size) => ({ argv: [produce, String(size), '65536', 'stay'], tail: TAIL, expect: size });

/** Bytes of everything that belongs to the host, and of its JavaScript heap. */
async function taken(host) {
  const heap = await host.do('heapBytes');
  const { warden } = await host.do('diagnose');
  const pids = [host.pid, ...(warden.pid === undefined ? [] : [warden.pid, ...copiesOf(warden.pid)])];
  return { all: pids.reduce((sum, pid) => sum + memoryOf(pid), 0), heap };
}

/** Runs `job` in a fresh host, after `before`, and returns what it added. */
async function added(options, job, use, prepare = ['runAlone', { argv: ['true'], calls: 100 }]) {
  const host = await startHost(options);
  try {
    await host.do(...prepare);
    const before = await taken(host);
    await host.do(job, use);
    const after = await taken(host);
    await host.do('drop');
    return { all: after.all - before.all, native: after.all - before.all - (after.heap - before.heap) };
  } finally {
    await host.end();
  }
}

const hosts = await holdfastHosts();
const figures = {};
for (const [label, options] of Object.entries(hosts)) {
  console.log(`memory: ${label}, ${rounds} rounds`);
  const [stream, together, finished] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    stream.push((await added(options, 'keep', { count: 1, ...staying(bytes) })).all / 2 ** 20);
    together.push((await added(options, 'keep', { count: TOGETHER, ...staying(4e6) })).all / 2 ** 20);
    // Three thousand beside a first one: what V8 and malloc take once is no part of a handle, and V8 is vague about the rest.
    finished.push((await added(options, 'keepFinished', finishing(4 * FINISHED), ['keepFinished', finishing(FINISHED)])).native / (3 * FINISHED) / 1024);
    console.log(`  round ${round + 1}: ${stream.at(-1).toFixed(2)} MiB, ${together.at(-1).toFixed(1)} MiB, ${finished.at(-1).toFixed(2)} KiB`);
  }
  figures[label] = { afterStreamMiB: stream, concurrentMiB: together, finishedKiB: finished };
}

const main = strongest(hosts);
const owner = ownerOf(main);
const worst = (key) => {
  const label = Object.keys(figures).reduce((a, b) => (interval(figures[a][key]).high >= interval(figures[b][key]).high ? a : b));
  return { owner: ownerOf(label), ...interval(figures[label][key]) };
};
const panel = (title, unit, key) => ({
  title, unit, better: 'less',
  bars: Object.entries(figures).map(([label, one]) => { const { p50, min, max } = summary(one[key]); return { label, value: p50, low: min, high: max, ours: true }; }),
});
writeResult({
  question: 'memory',
  quick,
  title: 'Memory of host, warden and supervisors above idle',
  settings: { bytes, tailBytes: TAIL, together: TOGETHER, finished: FINISHED, rounds, owner },
  figures: Object.fromEntries(Object.entries(figures).map(([label, all]) => [label, Object.fromEntries(Object.entries(all).map(([key, list]) => [key, summary(list)]))])),
  panels: [
    panel(`After ${bytes / 1e9} GB of one command, which stays`, 'MiB', 'afterStreamMiB'),
    panel(`${TOGETHER} commands that stay, each with a full tail of 1 MiB`, 'MiB', 'concurrentMiB'),
    panel(`Native memory of each of ${FINISHED} finished handles, 200 bytes printed`, 'KiB', 'finishedKiB'),
  ],
  measured: { afterStream: worst('afterStreamMiB'), concurrent: worst('concurrentMiB'), finished: worst('finishedKiB') },
  notes: ['PSS. Bars: median; whiskers: least and most. Judged: the worst owner.'],
});
