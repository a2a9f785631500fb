// How fast, and at what cost, is line-buffered output collected: two million lines of 40 bytes, each written by itself?
//
// Against us: a C loop that reads each line as it comes, on a pipe of the size that we use. We let small writes gather for
// up to a millisecond unless somebody waits for them, so that the writer is not stopped by a reader that wakes up for each.
import { BUFFERS, readInC } from './lib/baseline.mjs';
import { compiled } from './lib/compile.mjs';
import { holdfastHosts, ownerOf, strongest } from './lib/contenders.mjs';
import { withHosts } from './lib/host.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { ratio, summary } from './lib/stats.mjs';

const LINE = 40;
const { rounds, quick, bytes } = settings({ rounds: 7, bytes: 2e6 * LINE, quickBytes: 2e5 * LINE });
const lines = bytes / LINE;
const argv = [compiled('produce'), String(bytes), String(LINE)];
const job = { argv, tail: 1 << 20, expect: bytes };

const ours = await holdfastHosts();
const main = strongest(ours);
const owner = ownerOf(main);
const results = await withHosts({ holdfast: ours[main], child_process: { provider: 'child_process' } }, async ({ holdfast, child_process }) => {
  const { pipeBytes } = await holdfast.do('collect', job);
  console.log(`lines: ${lines} lines a run, ${rounds} rounds, pipe of ${pipeBytes} bytes`);
  return alternate({
    holdfast: () => holdfast.do('collect', job),
    C: () => readInC(BUFFERS[0], pipeBytes, argv, bytes),
    child_process: () => child_process.do('collect', job),
  }, rounds, (n, all) => {
    console.log(`  round ${n}: ${Object.entries(all).map(([name, list]) => `${name} ${(lines / list.at(-1).ms / 1e3).toFixed(2)} million/s, ${list.at(-1).cpuMs.toFixed(0)} ms of CPU`).join('; ')}`);
  });
});

const list = (name, key) => results[name].map((one) => one[key]);
const rates = Object.fromEntries(Object.keys(results).map((name) => [name, summary(list(name, 'ms').map((ms) => lines / ms / 1e3))]));
const cpu = Object.fromEntries(Object.keys(results).map((name) => [name, summary(list(name, 'cpuMs').map((ms) => (ms / lines) * 1e6))]));
const bars = (figures) => Object.entries(figures).map(([label, { p50, min, max }]) => ({ label, value: p50, low: min, high: max, ours: label === 'holdfast' }));
writeResult({
  question: 'lines',
  quick,
  title: `Collecting ${lines / 1e6} million lines of ${LINE} bytes, each written by itself`,
  settings: { lines, lineBytes: LINE, rounds, owner },
  figures: { millionLinesPerSecond: rates, readerCpuNsPerLine: cpu },
  panels: [
    { title: 'Rate', unit: 'million lines/s', better: 'more', bars: bars(rates) },
    { title: 'CPU of the reading process', unit: 'ns a line', better: 'less', log: true, bars: bars(cpu) },
  ],
  measured: {
    rateOfC: { owner, ...ratio(list('C', 'ms'), list('holdfast', 'ms')) },
    cpuOfC: { owner, ...ratio(list('holdfast', 'cpuMs'), list('C', 'cpuMs')) },
  },
  notes: ['Bars: median; whiskers: least and most. CPU: of the whole process that reads, its JavaScript thread included.'],
});
