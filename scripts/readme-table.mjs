// Writes the measured table of README.md from bench/results/*.json: node scripts/readme-table.mjs [--check]
import { readFileSync } from 'node:fs';
import { resultOf, writeOrCheck } from './lib/generated.mjs';

const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';

const three = (value) => Number(value.toPrecision(3)).toString();
const typical = (one, unit) => (one === undefined ? '' : `${three(one.p50)} ${unit}`);
const first = (of) => Object.entries(of).find(([name]) => name.startsWith('holdfast'))?.[1];

/** The table as Markdown, from the results that are committed; undefined while one of them is missing, and then README stays as it is. */
function table() {
  const [collect, peers, delay, spawn, latency] = ['collect', 'peers', 'loop-delay', 'spawn', 'latency'].map(resultOf);
  if ([collect, peers, delay, spawn, latency].includes(undefined)) return undefined;
  const { gigabytesPerSecond: speed } = peers.figures;
  const { jsCpuPercent } = delay.figures.collect;
  const heap = Object.keys(spawn.figures.blockedMs).at(-1);
  const blocked = spawn.figures.blockedMs[heap];
  const { 1: alone, 64: together } = latency.figures.milliseconds;
  const rows = [
    ['collecting into a tail of 1 MiB', typical(speed.holdfast, 'GB/s'), typical(speed['child_process, tail'], 'GB/s'), `${typical(speed.C, 'GB/s')} (read loop)`],
    ['JavaScript thread meanwhile', typical(jsCpuPercent.holdfast, '% of a core'), typical(jsCpuPercent.child_process, '% of a core'), ''],
    [`\`spawn()\` holds the event loop, ${heap} of heap: median`, typical(blocked.holdfast, 'ms'), typical(blocked.child_process, 'ms'), ''],
    ['the same, 99th percentile', `${three(blocked.holdfast.p99)} ms`, `${three(blocked.child_process.p99)} ms`, ''],
    ['from `spawn()` to `done` of `true`', typical(first(alone), 'ms'), typical(alone.child_process, 'ms'), `${typical(alone.C, 'ms')} (vfork server)`],
    ['64 at once, to the last `done`', typical(first(together), 'ms'), typical(together.child_process, 'ms'), typical(together.C, 'ms')],
  ];
  const { machine } = collect;
  const ofC = collect.targets.find(({ id }) => id === 'ofC1MiB');
  return [
    ...[['', 'Holdfast', 'child_process', 'C'], ['---', '---', '---', '---'], ...rows].map((row) => `| ${row.join(' | ')} |`),
    '',
    `Speed against the best C read loop with a tail of 1 MiB, over four sizes of writes, in pairs: ${three(ofC.estimate)} (95 % interval ${three(ofC.low)} to ${three(ofC.high)}).`,
    `${machine.cpu}, ${machine.cores} cores${machine.virtual ? ' (virtual)' : ''}, Linux ${machine.kernel}, Node ${machine.node}.`,
  ].join('\n');
}

const path = new URL('../README.md', import.meta.url);
const readme = readFileSync(path, 'utf8');
const [begin, end] = [readme.indexOf(BEGIN), readme.indexOf(END)];
if (begin < 0 || end < begin) throw new Error(`README.md needs the lines ${BEGIN} and ${END}`);
const text = table();
if (text !== undefined) writeOrCheck(path, `${readme.slice(0, begin + BEGIN.length)}\n${text}\n${readme.slice(end)}`, 'scripts/readme-table.mjs');
