// How fast, and at what cost, is line-buffered output collected: two million lines of 40 bytes, each written by itself?
//
// Against us: a C loop that reads each line as it comes, on a pipe of the size that we use, and the producer alone, writing
// to a file. We let small writes gather for up to a millisecond unless somebody waits for them: the second part asks how
// late a line is for somebody who waits.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUFFERS, readInC } from './lib/baseline.mjs';
import { compiled } from './lib/compile.mjs';
import { holdfastHosts, ownerOf, strongest } from './lib/contenders.mjs';
import { withHosts } from './lib/host.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { interval, ratio, summary } from './lib/stats.mjs';

const LINE = 40;
const { rounds, quick, bytes } = settings({ rounds: 7, bytes: 2e6 * LINE, quickBytes: 2e5 * LINE });
const lines = bytes / LINE;
const TICKS = quick ? 50 : 200;
const argv = [compiled('produce'), String(bytes), String(LINE)];
const ticks = [compiled('ticks'), String(TICKS), '5'];
const job = { argv, tail: 1 << 20, expect: bytes };
const file = join(statfsSync('/dev/shm', { throwIfNoEntry: false }) ? '/dev/shm' : tmpdir(), `holdfast-bench-${process.pid}`);

/** The producer with nobody who reads. */
function toFile() {
  const fd = openSync(file, 'wx', 0o600);
  try {
    const begin = performance.now();
    const { status, error } = spawnSync(argv[0], argv.slice(1), { stdio: ['ignore', fd, 'ignore'] });
    if (status !== 0) throw error ?? new Error(`the producer ended with ${status}`);
    return { ms: performance.now() - begin };
  } finally {
    closeSync(fd);
    rmSync(file);
  }
}

const ours = await holdfastHosts();
const main = strongest(ours);
const owner = ownerOf(main);
const { results, late } = await withHosts({ holdfast: ours[main], child_process: { provider: 'child_process' } }, async ({ holdfast, child_process }) => {
  const { pipeBytes } = await holdfast.do('collect', job);
  console.log(`lines: ${lines} lines a run, ${rounds} rounds, pipe of ${pipeBytes} bytes`);
  return {
    results: await alternate({
      holdfast: () => holdfast.do('collect', job),
      C: () => readInC(BUFFERS[0], pipeBytes, argv, bytes),
      'to a file': toFile,
      child_process: () => child_process.do('collect', job),
    }, rounds, (n, all) => {
      console.log(`  round ${n}: ${Object.entries(all).map(([name, list]) => `${name} ${(lines / list.at(-1).ms / 1e3).toFixed(2)} million/s${list.at(-1).cpuMs === undefined ? '' : `, ${list.at(-1).cpuMs.toFixed(0)} ms of CPU`}`).join('; ')}`);
    }),
    late: (await holdfast.do('lineLatency', { argv: ticks })).map((us) => us / 1e3),
  };
});

const list = (name, key) => results[name].map((one) => one[key]);
const rates = Object.fromEntries(Object.keys(results).map((name) => [name, summary(list(name, 'ms').map((ms) => lines / ms / 1e3))]));
const readers = ['holdfast', 'C', 'child_process'];
const cpu = Object.fromEntries(readers.map((name) => [name, summary(list(name, 'cpuMs').map((ms) => (ms / lines) * 1e6))]));
const wakeUps = results.holdfast.map(({ jsWakeUps, ms }) => jsWakeUps / ms * 1e3);
const bars = (figures) => Object.entries(figures).map(([label, { p50, min, max }]) => ({ label, value: p50, low: min, high: max, ours: label === 'holdfast' }));
writeResult({
  question: 'lines',
  quick,
  title: `Collecting ${lines / 1e6} million lines of ${LINE} bytes, each written by itself`,
  settings: { lines, lineBytes: LINE, rounds, ticks: TICKS, owner },
  figures: { millionLinesPerSecond: rates, readerCpuNsPerLine: cpu, jsWakeUpsPerSecond: summary(wakeUps), waitingReaderMs: summary(late) },
  panels: [
    { title: 'Rate', unit: 'million lines/s', better: 'more', bars: bars(rates) },
    { title: 'CPU of the reading process', unit: 'ns a line', better: 'less', log: true, bars: bars(cpu) },
  ],
  measured: {
    rateOfC: { owner, ...ratio(list('C', 'ms'), list('holdfast', 'ms')) },
    rateOfFile: { owner, ...ratio(list('to a file', 'ms'), list('holdfast', 'ms')) },
    cpuOfC: { owner, ...ratio(list('holdfast', 'cpuMs'), list('C', 'cpuMs')) },
    wakeUps: { owner, ...interval(wakeUps) },
    waiting: { owner, ...interval(late, 0.99) },
  },
  notes: ['Bars: median; whiskers: least and most. CPU: of the whole process that reads, its JavaScript thread included.'],
});
