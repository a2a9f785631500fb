// The same three cells for everybody: one stream into a tail of 1 MiB, the same while the JavaScript thread is 90 % busy,
// and `true` one after the other.
//
// Everybody keeps a tail, except child_process, which is there a second time and only counts, and C, which only reads. All
// that is written in JavaScript for Node runs under the same Node 24. The spread is wide: who is slow gets less to collect.
import { bestBuffer, inC, readInC } from './lib/baseline.mjs';
import { compiled } from './lib/compile.mjs';
import { holdfastHosts, ownerOf, strongest } from './lib/contenders.mjs';
import { describeDsh, installDsh } from './lib/dsh.mjs';
import { withHosts } from './lib/host.mjs';
import { alternate } from './lib/pairs.mjs';
import { peerHosts } from './lib/peers.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { median, ratio, summary } from './lib/stats.mjs';

const { rounds, quick, bytes } = settings({ rounds: 7, bytes: 8e8, quickBytes: 1e8 });
const BUSY_BYTES = bytes / 16;
const CALLS = quick ? 5 : 20;
const COUNTS = 'child_process, counting';
const KEEPS = 'child_process, tail';
const produce = compiled('produce');
const job = (size, busy) => ({ argv: [produce, String(size)], tail: 1 << 20, expect: size, busy });

const ours = await holdfastHosts();
const main = strongest(ours);
const owner = ownerOf(main);
const dsh = installDsh();
const { node } = dsh;
const peers = peerHosts(node);
const wanted = {
  holdfast: { ...ours[main], node },
  [COUNTS]: { provider: 'child_process', node },
  [KEEPS]: { provider: 'childProcessTail', node },
  ...(peers.hosts ?? {}),
  ...(dsh.reason === undefined ? { dsh: { provider: 'dsh', node } } : {}),
};
const show = (what, use) => (n, all) => { console.log(`  ${what}, round ${n}: ${Object.entries(all).map(([name, list]) => `${name} ${use(list.at(-1), name)}`).join(', ')}`); };
const rate = (size) => ({ ms }, name) => `${((name === 'holdfast' ? bytes : size) / ms / 1e6).toFixed(2)}`;

console.log(`peers: ${bytes / 1e9} GB and ${CALLS} calls a run, ${rounds} rounds${peers.reason === undefined ? '' : `; ${peers.reason}`}`);
const results = await withHosts(wanted, async (hosts) => {
  const each = (use) => Object.fromEntries(Object.entries(hosts).map(([label, host]) => [label, () => use(host, label)]));
  const { pipeBytes } = await hosts.holdfast.do('collect', job(bytes, false));
  const read = (buffer) => readInC(buffer, pipeBytes, job(bytes).argv, bytes);
  const buffer = await bestBuffer(read);
  const alone = async (host) => ({ ms: median((await host.do('runAlone', { argv: ['/bin/true'], calls: CALLS })).latencyMs) });
  return {
    collect: await alternate({ ...each((host) => host.do('collect', job(bytes, false))), C: () => read(buffer) }, rounds, show('GB/s', rate(bytes))),
    busy: await alternate(each((host, label) => host.do('collect', job(label === 'holdfast' ? bytes : BUSY_BYTES, true))), rounds, show('busy, GB/s', rate(BUSY_BYTES))),
    true: await alternate({ ...each(alone), C: async () => ({ ms: median(await inC('launch', 1, CALLS, '/bin/true')) }) }, rounds, show('true, ms', ({ ms }) => ms.toFixed(2))),
  };
});

/** Nanoseconds a byte, so that who had less to collect can be compared. */
const perByte = (cell, name) => results[cell][name].map(({ ms }) => (ms * 1e6) / (cell === 'busy' && name !== 'holdfast' ? BUSY_BYTES : bytes));
const speeds = (cell) => Object.fromEntries(Object.keys(results[cell]).map((name) => [name, summary(perByte(cell, name).map((ns) => 1 / ns))]));
const trueMs = Object.fromEntries(Object.entries(results.true).map(([name, list]) => [name, summary(list.map(({ ms }) => ms))]));
const against = (cell, name) => (results[cell][name] === undefined ? { reason: peers.reason ?? dsh.reason } : { owner, ...ratio(perByte(cell, name), perByte(cell, 'holdfast')) });
const keepers = Object.keys(results.collect).filter((name) => !['holdfast', 'C', COUNTS].includes(name));
const best = keepers.reduce((a, b) => (median(perByte('collect', a)) <= median(perByte('collect', b)) ? a : b));
const bars = (of) => Object.entries(of).map(([label, { p50, min, max }]) => ({ label, value: p50, low: min, high: max, ours: label === 'holdfast' }));
writeResult({
  question: 'peers',
  quick,
  title: 'The same three things by everybody',
  settings: { bytes, busyBytesOfOthers: BUSY_BYTES, tailBytes: 1 << 20, calls: CALLS * rounds, rounds, bestTailKeeper: best, versions: peers.versions ?? peers.reason, dsh: describeDsh(dsh), owner },
  figures: { gigabytesPerSecond: speeds('collect'), busyGigabytesPerSecond: speeds('busy'), trueMs },
  panels: [
    { title: 'Collecting into a tail of 1 MiB', unit: 'GB/s', better: 'more', bars: bars(speeds('collect')) },
    { title: 'The same, JavaScript thread 90 % busy', unit: 'GB/s', better: 'more', log: true, bars: bars(speeds('busy')) },
    { title: 'spawn to done of true, one after the other', unit: 'ms', better: 'less', log: true, bars: bars(trueMs) },
  ],
  measured: {
    ofCounting: against('collect', COUNTS),
    ofTailKeepers: against('collect', best),
    ofDsh: against('collect', 'dsh'),
    busyOfChildProcess: against('busy', COUNTS),
    trueOfC: { owner, ...ratio(results.true.holdfast.map(({ ms }) => ms), results.true.C.map(({ ms }) => ms)) },
    trueOfChildProcess: { owner, ...ratio(results.true.holdfast.map(({ ms }) => ms), results.true[COUNTS].map(({ ms }) => ms)) },
  },
  notes: ['Bars: median; whiskers: least and most of the rounds.', `Tail keepers are everybody but C and the child_process that counts; the fastest here was ${best}.`],
});
