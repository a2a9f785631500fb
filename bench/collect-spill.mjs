// How fast is a stream collected that goes to a file as a whole besides?
//
// Against us: C on the same file system by read + write, by tee + splice and by io_uring, each with the buffer that was
// best for it. In memory where there is a tmpfs, so that the disk is not what is measured; --spill-directory for another.
import { statfsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bestBuffer, fastest, storeInC } from './lib/baseline.mjs';
import { compiled } from './lib/compile.mjs';
import { fileSystemOf, holdfastHosts, ownerOf, strongest } from './lib/contenders.mjs';
import { withHosts } from './lib/host.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { ratio, summary } from './lib/stats.mjs';

const { rounds, quick, bytes, values } = settings({ rounds: 7, bytes: 1.5e9, quickBytes: 3e8, options: { 'spill-directory': { type: 'string' } } });
const WAYS = { rw: 'C read + write', tee: 'C tee + splice', uring: 'C io_uring' };
const produce = compiled('produce');
const argv = [produce, String(bytes)];
const job = { argv, tail: 1 << 20, spill: 2 * bytes, expect: bytes };

const room = (path) => { try { const { bavail, bsize } = statfsSync(path); return bavail * bsize; } catch { return 0; } };
const base = values['spill-directory'] ?? (room('/dev/shm') > 2 * bytes ? '/dev/shm' : tmpdir());
if (room(base) < 2 * bytes) throw new Error(`${base} has no room for a file of ${bytes} bytes; name another --spill-directory or fewer --bytes`);
const folder = mkdtempSync(join(base, 'holdfast-bench-'));

const ours = await holdfastHosts();
const main = strongest(ours);
const owner = ownerOf(main);
const fileSystem = fileSystemOf(base);
const missing = {};
let results;
try {
  results = await withHosts({ holdfast: { ...ours[main], spillDirectory: folder } }, async ({ holdfast }) => {
    const { pipeBytes } = await holdfast.do('collect', job);
    console.log(`collect-spill: ${bytes / 1e9} GB a run, ${rounds} rounds, on ${fileSystem}, pipe of ${pipeBytes} bytes`);
    const contenders = { holdfast: () => holdfast.do('collect', job) };
    for (const [how, label] of Object.entries(WAYS)) {
      const store = (buffer) => storeInC(how, buffer, pipeBytes, join(folder, 'baseline'), argv, bytes);
      try {
        const buffer = await bestBuffer(store);
        contenders[label] = () => store(buffer);
      } catch (error) {
        if (how !== 'uring') throw error;
        missing[label] = error.message.trim().split('\n').at(-1); // many containers forbid it
      }
    }
    return alternate(contenders, rounds, (n, all) => {
      console.log(`  round ${n}: ${Object.entries(all).map(([name, list]) => `${name} ${(bytes / list.at(-1).ms / 1e6).toFixed(2)}`).join(', ')} GB/s`);
    });
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const ms = (name) => results[name].map((one) => one.ms);
const best = fastest(results, Object.keys(results).filter((name) => name !== 'holdfast'));
const speeds = Object.fromEntries(Object.keys(results).map((name) => [name, summary(ms(name).map((one) => bytes / one / 1e6))]));
writeResult({
  question: 'collect-spill',
  quick,
  title: `Collecting ${bytes / 1e9} GB with all of it in a file besides`,
  settings: { bytes, tailBytes: 1 << 20, rounds, fileSystem, bestC: best, missing, owner },
  figures: { gigabytesPerSecond: speeds },
  panels: [{
    title: 'Throughput', unit: 'GB/s', better: 'more',
    bars: Object.entries(speeds).map(([label, { p50, min, max }]) => ({ label, value: p50, low: min, high: max, ours: label === 'holdfast' })),
  }],
  measured: {
    ofC: { owner, ...ratio(ms(best), ms('holdfast')) },
    ofReadWrite: { owner, ...ratio(ms(WAYS.rw), ms('holdfast')) },
  },
  notes: [`File on ${fileSystem}. Bars: median; whiskers: slowest and fastest round. C: each with the best of three buffers.`],
});
