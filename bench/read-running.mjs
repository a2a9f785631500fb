// What does it cost a stream that somebody reads the newest 64 KiB of it sixty times a second?
import { compiled } from './lib/compile.mjs';
import { holdfastHosts, ownerOf, strongest } from './lib/contenders.mjs';
import { withHosts } from './lib/host.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { ratio, summary } from './lib/stats.mjs';

const { rounds, quick, bytes } = settings({ rounds: 9, bytes: 2e9, quickBytes: 3e8 });
const DELTA = 64 << 10;
const HZ = 60;
const job = { argv: [compiled('produce'), String(bytes)], tail: 1 << 20, expect: bytes, delta: DELTA };

const ours = await holdfastHosts();
const main = strongest(ours);
const owner = ownerOf(main);
console.log(`read-running: ${bytes / 1e9} GB a run, ${rounds} rounds`);
const results = await withHosts({ holdfast: ours[main] }, ({ holdfast }) => alternate({
  'read 60 times a second': () => holdfast.do('collectPolled', { ...job, perSecond: HZ }),
  'not read': () => holdfast.do('collectPolled', { ...job, perSecond: 0 }),
}, rounds, (n, all) => { console.log(`  round ${n}: ${Object.entries(all).map(([name, list]) => `${name} ${(bytes / list.at(-1).ms / 1e6).toFixed(2)} GB/s, ${list.at(-1).reads} reads`).join('; ')}`); }));

const ms = (name) => results[name].map((one) => one.ms);
const speeds = Object.fromEntries(Object.keys(results).map((name) => [name, summary(ms(name).map((one) => bytes / one / 1e6))]));
writeResult({
  question: 'read-running',
  quick,
  title: 'Collecting while the newest 64 KiB are read 60 times a second',
  settings: { bytes, deltaBytes: DELTA, perSecond: HZ, rounds, owner },
  figures: { gigabytesPerSecond: speeds, readsPerSecond: summary(results['read 60 times a second'].map(({ reads, ms: time }) => reads / time * 1e3)) },
  panels: [{ title: 'Throughput', unit: 'GB/s', better: 'more', bars: Object.entries(speeds).map(([label, { p50, min, max }]) => ({ label, value: p50, low: min, high: max, ours: true })) }],
  measured: { ofUnread: { owner, ...ratio(ms('not read'), ms('read 60 times a second')) } },
  notes: ['Bars: median; whiskers: slowest and fastest round.'],
});
