import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { machine } from './machine.mjs';
import { draw } from './svg.mjs';

const folderOf = (quick) => (quick ? 'build/bench/' : 'bench/results/');

/**
 * Writes <question>.json and .svg into bench/results/, or into build/bench/ for a quick look, and prints the targets. `targets`: `{ name, value, limit, at: 'least' |
 * 'most', unit? }`. Returns true when all are met.
 */
export function writeResult({ question, title, settings, figures, panels, targets, quick, notes = [] }) {
  const facts = machine();
  const judged = targets.map((one) => ({ ...one, met: one.at === 'least' ? one.value >= one.limit : one.value <= one.limit }));
  const footer = [
    `${facts.cpu}, ${facts.cores} cores${facts.virtual ? ' (virtual)' : ''}, Linux ${facts.kernel}, Node ${facts.node} (libuv ${facts.libuv}), load ${facts.load.join(' ')}, ${facts.date}`,
    ...notes,
  ];
  const folder = fileURLToPath(new URL(`../../${folderOf(quick)}`, import.meta.url));
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}${question}.json`, `${JSON.stringify({ question, title, machine: facts, settings, targets: judged, figures }, null, 2)}\n`);
  writeFileSync(`${folder}${question}.svg`, draw(title, panels, footer));
  console.log(`\n${title}`);
  for (const one of judged) console.log(`  ${one.met ? 'met   ' : 'MISSED'} ${one.name}: ${one.value}${one.unit ?? ''} (at ${one.at} ${one.limit}${one.unit ?? ''})`);
  console.log(`  written: ${folderOf(quick)}${question}.json and .svg`);
  return judged.every((one) => one.met);
}
