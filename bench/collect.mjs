// How fast is one stream collected into a bounded tail?
//
// A producer in C writes 8 GB in blocks of 64 KiB; the tail is 1 MiB. Against us: a C program that only reads (the best of
// three buffer sizes, on a pipe of the size that we use), child_process that only counts, and the published dsh provider,
// for which Holdfast runs under the same Node 24 beside it, with less to collect because that one takes longer.
import { BUFFERS, fastest, readInC } from './lib/baseline.mjs';
import { compiled } from './lib/compile.mjs';
import { holdfastHosts, ownerOf, strongest } from './lib/contenders.mjs';
import { describeDsh, installDsh } from './lib/dsh.mjs';
import { withHosts } from './lib/host.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { ratio, summary } from './lib/stats.mjs';

const { rounds, quick, bytes } = settings({ rounds: 7, bytes: 8e9, quickBytes: 1e9 });
const DSH_BYTES = bytes / 8;
const TAIL = 1 << 20;
const produce = compiled('produce');
const job = (size) => ({ argv: [produce, String(size)], tail: TAIL, expect: size });
const show = (size) => (n, all) => {
  console.log(`  round ${n}: ${Object.entries(all).map(([name, list]) => `${name} ${(size / list.at(-1).ms / 1e6).toFixed(2)}`).join(', ')} GB/s`);
};

const ours = await holdfastHosts();
const main = strongest(ours);
const withoutPrivileges = Object.keys(ours).filter((label) => ours[label].user !== undefined);
const wanted = { [main]: ours[main], ...Object.fromEntries(withoutPrivileges.map((label) => [label, ours[label]])), child_process: { provider: 'child_process' } };

const results = await withHosts(wanted, async (hosts) => {
  const { pipeBytes } = await hosts[main].do('collect', job(bytes));
  console.log(`collect: ${bytes / 1e9} GB a run, ${rounds} rounds, pipe of ${pipeBytes} bytes`);
  const contenders = Object.fromEntries(Object.entries(hosts).map(([label, host]) => [label, () => host.do('collect', job(bytes))]));
  for (const buffer of BUFFERS) contenders[`C ${buffer >> 10} KiB`] = () => readInC(buffer, pipeBytes, job(bytes).argv, bytes);
  return alternate(contenders, rounds, show(bytes));
});

const dsh = installDsh();
const beside = dsh.reason !== undefined ? undefined : await withHosts({
  holdfast: { ...ours[main], node: dsh.node },
  dsh: { provider: 'dsh', node: dsh.node },
}, (hosts) => alternate({
  holdfast: () => hosts.holdfast.do('collect', job(DSH_BYTES)),
  dsh: () => hosts.dsh.do('collect', job(DSH_BYTES)),
}, rounds, show(DSH_BYTES)));

const best = fastest(results, BUFFERS.map((buffer) => `C ${buffer >> 10} KiB`));
const ms = (name, of = results) => of[name].map((one) => one.ms);
const speed = (name, of = results, size = bytes) => summary(ms(name, of).map((one) => size / one / 1e6));
const speeds = Object.fromEntries(Object.keys(results).map((name) => [name, speed(name)]));
if (beside) for (const name of ['holdfast', 'dsh']) speeds[`${name}, Node 24`] = speed(name, beside, DSH_BYTES);
const owner = ownerOf(main);
const shown = [...Object.keys(wanted).slice(0, -1), best, 'child_process', ...Object.keys(speeds).filter((name) => name.endsWith('Node 24'))];

writeResult({
  question: 'collect',
  quick,
  title: `Collecting ${bytes / 1e9} GB of one producer into a tail of 1 MiB`,
  settings: { bytes, dshBytes: DSH_BYTES, tailBytes: TAIL, rounds, producer: '64 KiB a write', bestC: best, dsh: describeDsh(dsh) },
  figures: {
    gigabytesPerSecond: speeds,
    ofC: Object.fromEntries(Object.keys(ours).filter((label) => results[label]).map((label) => [label, ratio(ms(best), ms(label))])),
  },
  panels: [{
    title: 'Throughput', unit: 'GB/s', better: 'more',
    bars: shown.map((name) => ({ label: name, value: speeds[name].p50, low: speeds[name].min, high: speeds[name].max, ours: name.startsWith('holdfast') })),
  }],
  measured: {
    ofC: { owner, ...ratio(ms(best), ms(main)) },
    ofChildProcess: { owner, ...ratio(ms('child_process'), ms(main)) },
    ofDsh: beside ? { owner, ...ratio(ms('dsh', beside), ms('holdfast', beside)) } : { reason: dsh.reason },
  },
  notes: ['Bars: median; whiskers: slowest and fastest round. C: the best of three buffers.'],
});
