// Writes the measured table of README.md from bench/results/*.json: node scripts/readme-table.mjs [--check]
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';

const resultPath = (question) => new URL(`bench/results/${question}.json`, root);
const read = (question) => JSON.parse(readFileSync(resultPath(question), 'utf8'));
const three = (value) => Number(value.toPrecision(3)).toString();

/** The table as Markdown, from the results that are committed; empty when there are none. */
function table() {
  if (!existsSync(resultPath('collect')) || !existsSync(resultPath('spawn'))) return '';
  const collect = read('collect');
  const spawn = read('spawn');
  const { gigabytesPerSecond: speed, ratioToBestLoop: ratio, jsThread, memoryGrownMiB } = collect.figures;
  const { blockedMs, latencyMs, together } = spawn.figures;
  const loop = collect.settings.bestLoop;
  const ms = (value) => `${three(value)} ms`;
  const rows = [
    [`collecting ${collect.settings.bytes / 1e9} GB into a tail of 1 MiB`, `${three(speed.holdfast.p50)} GB/s`, `${three(speed.child_process.p50)} GB/s`, `${three(speed[loop].p50)} GB/s (read loop)`],
    ['JavaScript thread busy meanwhile', `${three(jsThread.holdfast.busyPercent)} %`, `${three(jsThread.child_process.busyPercent)} %`, ''],
    ['memory grown meanwhile', `${three(memoryGrownMiB.holdfast)} MiB`, `${three(memoryGrownMiB.child_process)} MiB`, ''],
    ['`spawn()` holds the event loop, 1 GB of heap: median', ms(blockedMs.holdfast.p50), ms(blockedMs.child_process.p50), ''],
    ['the same, 99th percentile', ms(blockedMs.holdfast.p99), ms(blockedMs.child_process.p99), ''],
    ['from `spawn()` to `done` of `true`', ms(latencyMs.holdfast.p50), ms(latencyMs.child_process.p50), `${ms(latencyMs.C.p50)} (posix_spawn)`],
    [`${spawn.settings.together} at once, to the last \`done\``, ms(together.latencyMs.holdfast.p50), ms(together.latencyMs.child_process.p50), ms(together.latencyMs.C.p50)],
  ];
  const { machine } = collect;
  const lines = [['', 'Holdfast', 'child_process', 'C'], ['---', '---', '---', '---'], ...rows].map((row) => `| ${row.join(' | ')} |`);
  return [
    ...lines,
    '',
    `Speed against the best C read loop, in pairs: ${three(ratio.median)} (95 % interval ${three(ratio.low)} to ${three(ratio.high)}).`,
    `${machine.cpu}, ${machine.cores} cores${machine.virtual ? ' (virtual)' : ''}, Linux ${machine.kernel}, Node ${machine.node}.`,
  ].join('\n');
}

const path = new URL('README.md', root);
const readme = readFileSync(path, 'utf8');
const [begin, end] = [readme.indexOf(BEGIN), readme.indexOf(END)];
if (begin < 0 || end < begin) throw new Error(`README.md needs the lines ${BEGIN} and ${END}`);
const text = table();
const wanted = `${readme.slice(0, begin + BEGIN.length)}\n${text === '' ? '' : `${text}\n`}${readme.slice(end)}`;

if (!process.argv.includes('--check')) {
  writeFileSync(path, wanted);
} else if (readme !== wanted) {
  console.error('The table of README.md does not match bench/results. Run: node scripts/readme-table.mjs');
  process.exitCode = 1;
}
