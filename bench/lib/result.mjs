import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { floors, reaches } from './floors.mjs';
import { machine } from './machine.mjs';
import { root } from './compile.mjs';
import { draw } from './svg.mjs';

/** Where results go: bench/results/ is committed; a quick look goes into build/ and is not kept. */
export const resultsFolder = (quick) => `${root}${quick ? 'build/bench/results/' : 'bench/results/'}`;

/**
 * Writes <question>.json and .svg and prints how the targets were met. `measured`: for each id of the question in
 * floors.json either `{ estimate, low, high, owner? }`, of which the end of the interval that is worse for us counts, or
 * `{ reason }` when it could not be measured here. `limit`: what C itself reaches, where a target may be beyond that.
 */
export function writeResult({ question, title, settings, figures, panels, measured, quick, notes = [] }) {
  const facts = machine();
  const targets = Object.entries(floors[question]).map(([id, floor]) => judge(id, floor, measured[id]));
  const folder = resultsFolder(quick);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}${question}.json`, `${JSON.stringify({ question, title, machine: facts, settings, targets, figures, panels, notes }, null, 2)}\n`);
  writeFileSync(`${folder}${question}.svg`, drawing({ title, machine: facts, panels, notes }));
  console.log(`\n${title}`);
  for (const one of targets) console.log(`  ${sentence(one)}`);
  console.log(`  written: ${folder.slice(root.length)}${question}.json and .svg`);
}

function drawing({ title, machine: facts, panels, notes }) {
  return draw(title, panels, [
    `${facts.cpu}, ${facts.cores} cores${facts.virtual ? ' (virtual)' : ''}, Linux ${facts.kernel}`,
    `Node ${facts.node} (libuv ${facts.libuv}), user ${facts.user}, load ${facts.load.join(' ')}, ${facts.date}`,
    ...notes,
  ]);
}

/** Draws the committed results again, after a change of how they look; returns the files. Results from before panels were kept stay. */
export function redraw() {
  const folder = resultsFolder(false);
  const results = readdirSync(folder).filter((name) => name.endsWith('.json')).map((name) => JSON.parse(readFileSync(`${folder}${name}`, 'utf8')));
  return results.filter(({ panels }) => panels !== undefined).map((result) => {
    const file = `${folder}${result.question}.svg`;
    writeFileSync(file, drawing(result));
    return file.slice(root.length);
  });
}

function judge(id, { is, at, target, unit }, measured) {
  const head = { id, is, at, target, ...(unit === undefined ? {} : { unit }) };
  if (measured?.reason !== undefined) return { ...head, reason: measured.reason };
  if (measured === undefined) throw new Error(`nothing was measured for ${id}`);
  const value = at === 'least' ? measured.low : measured.high;
  return { ...head, ...measured, value, met: reaches(value, at, target) };
}

/** One line about a judged target, for people. */
export function sentence({ is, at, target, unit, reason, met, owner, estimate, low, high, limit: ofC }) {
  const limit = `at ${at} ${target}${unit === undefined ? '' : ` ${unit}`}`;
  if (reason !== undefined) return `not measured: ${is} (${limit}): ${reason}`;
  return `${met ? 'met   ' : 'MISSED'} ${is}${owner === undefined ? '' : ` [${owner}]`}: ${estimate} (${low} to ${high}; ${limit}${ofC === undefined ? '' : `; C itself: ${ofC}`})`;
}
