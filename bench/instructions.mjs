// How many instructions does the reader of a stream take for each gigabyte, and for each line of 40 bytes?
//
// Counted by callgrind, which counts user code only, so the numbers are the same on every run; what the kernel does for a
// read(2) is the same for everybody. A short run is taken from a long one, so that starting is not counted. Without the JIT,
// whose threads would be counted too.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiled } from './lib/compile.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { interval, round } from './lib/stats.mjs';

const { quick } = settings({ rounds: 1 });
const produce = compiled('produce');
const collector = fileURLToPath(new URL('./host/collector.mjs', import.meta.url));
/** Bytes of the short and of the long run, and of a write. */
const KINDS = { stream: [1e8, 1.1e9, 65536], ...(quick ? {} : { lines: [4e6, 24e6, 40] }) };

/** Instructions of a program: of all of it, or of those threads beside the first that run code of the addon. */
function counted(command, ofAddon) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-callgrind-'));
  try {
    execFileSync('valgrind', ['--tool=callgrind', '--separate-threads=yes', `--callgrind-out-file=${folder}/out`, ...command], { stdio: ['ignore', 'ignore', 'ignore'], timeout: 150_000 });
    const threads = readdirSync(folder).filter((name) => !ofAddon || !name.endsWith('-01')).map((name) => readFileSync(join(folder, name), 'utf8'));
    const counts = threads.filter((text) => !ofAddon || text.includes('holdfast.node')).map((text) => Number(/^(?:totals|summary): (\d+)/m.exec(text)?.[1] ?? 0));
    return counts.reduce((sum, one) => sum + one, 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const CONTENDERS = {
  holdfast: (argv) => counted([process.execPath, '--jitless', collector, ...argv], true),
  C: (argv) => counted([compiled('collect'), String(192 << 10), String(1 << 20), ...argv], false),
};

let reason;
try {
  execFileSync('valgrind', ['--version'], { stdio: 'ignore' });
} catch {
  reason = 'valgrind is not installed';
}
const perByte = {};
if (reason === undefined) {
  for (const [kind, [short, long, write]] of Object.entries(KINDS)) {
    perByte[kind] = {};
    for (const [name, count] of Object.entries(CONTENDERS)) {
      const of = (bytes) => count([produce, String(bytes), String(write)]);
      perByte[kind][name] = (of(long) - of(short)) / (long - short);
    }
  }
}

const figures = reason === undefined ? {
  millionPerGB: Object.fromEntries(Object.entries(perByte.stream).map(([name, value]) => [name, round(value * 1e3)])),
  ...(quick ? {} : { perLine: Object.fromEntries(Object.entries(perByte.lines).map(([name, value]) => [name, round(value * KINDS.lines[2])])) }),
} : {};
for (const [what, of] of Object.entries(figures)) console.log(`  ${what}: ${JSON.stringify(of)}`);
const bars = (of) => Object.entries(of).map(([label, value]) => ({ label, value, ours: label === 'holdfast' }));
writeResult({
  question: 'instructions',
  quick,
  title: 'Instructions of the reader, in user code',
  settings: { kinds: KINDS, bufferOfC: 192 << 10 },
  figures,
  panels: reason === undefined ? [
    { title: 'For each gigabyte in writes of 64 KiB', unit: 'million', better: 'less', log: true, bars: bars(figures.millionPerGB) },
    ...(quick ? [] : [{ title: 'For each line of 40 bytes', unit: 'instructions', better: 'less', log: true, bars: bars(figures.perLine) }]),
  ] : [],
  measured: {
    stream: reason === undefined ? interval([figures.millionPerGB.holdfast]) : { reason },
    lines: figures.perLine === undefined ? { reason: reason ?? 'not part of the short form' } : interval([figures.perLine.holdfast]),
  },
  notes: ['Counted by callgrind. The kernel is not in it: for both it copies the same bytes in reads of about the same size.'],
});
