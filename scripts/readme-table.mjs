// Writes the measured tables of README.md from bench/results/*.json: node scripts/readme-table.mjs [--check]
import { readFileSync } from 'node:fs';
import { resultOf, writeOrCheck } from './lib/generated.mjs';

/** What each fact of bench/compare is about, in the order of the table. */
const SITUATIONS = {
  stop: 'stopped, with a daemon in a session of its own',
  crash: 'your program is killed (SIGKILL)',
  held: 'a job in the background holds the output: the promise settles',
  output: '200 MB of output, with the defaults',
  directory: 'a working directory that is missing',
};

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

/** What the others do in the same situations. */
function comparison() {
  const { facts, versions } = resultOf('compare') ?? {};
  if (facts === undefined) return undefined;
  const names = Object.keys(versions);
  const rows = [['', ...names.map((name) => (name === 'Holdfast' ? name : `${name} ${versions[name]}`))], ['---', ...names.map(() => '---')], ...Object.entries(SITUATIONS).map(([fact, text]) => [text, ...names.map((name) => facts[fact][name])])];
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** `text` in the place between the two comments that have `name`; what is there stays as long as there is nothing new. */
function between(page, name, text) {
  if (text === undefined) return page;
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md needs the lines ${begin} and ${end}`);
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`;
}

const path = new URL('../README.md', import.meta.url);
writeOrCheck(path, between(between(readFileSync(path, 'utf8'), 'bench', table()), 'compare', comparison()), 'scripts/readme-table.mjs');
