// node bench/check.mjs [--quick [--missed]]: compares results with the floors (bench/floors.json): those of bench/results/, or those
// of a quick run. Fails when one is below its floor or was never measured; what could not be measured is named.
//
// Of a full run the worse end of the interval counts. A quick one has a few short rounds, often on a busy machine: it fails
// only where the whole interval is below two thirds of the floor, so that what it says is no accident. With --missed it prints
// only the questions that failed, to be asked again.
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { floors, LONG, reaches } from './lib/floors.mjs';
import { resultsFolder } from './lib/result.mjs';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, missed: { type: 'boolean', default: false } } });
const folder = resultsFolder(values.quick);
const SLACK = values.quick ? 1.5 : 1;
const missed = new Set();
const count = { reached: 0, missed: 0, impossible: 0, absent: 0 };

const figureOf = ({ low, high, value }, at) => {
  if (!values.quick) return value;
  return at === 'least' ? high : low;
};

/** Impossible: it could not be measured here, or C itself does not get there on this machine. */
function judge(found, at, floor) {
  if (found === undefined) return 'absent';
  if (found.reason !== undefined) return 'impossible';
  if (reaches(figureOf(found, at), at, at === 'least' ? floor / SLACK : floor * SLACK)) return 'reached';
  return found.limit !== undefined && !reaches(found.limit, at, floor) ? 'impossible' : 'missed';
}

for (const [question, wanted] of Object.entries(floors)) {
  if (values.quick && LONG.includes(question)) continue;
  const path = `${folder}${question}.json`;
  const targets = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).targets : [];
  for (const [id, { is, at, floor, unit = '' }] of Object.entries(wanted)) {
    const found = targets.find((one) => one.id === id);
    const verdict = judge(found, at, floor);
    count[verdict]++;
    if (verdict === 'missed' || verdict === 'absent') missed.add(question);
    if (values.missed) continue;
    const ofC = found?.limit === undefined ? '' : `; C itself: ${found.limit}`;
    const value = found?.value === undefined ? (found?.reason ?? 'run: npm run bench') : `${figureOf(found, at)} ${unit}`.trim() + ofC;
    console.log(`${verdict.padEnd(10)} ${question}: ${is}: ${value} (floor: at ${at} ${floor}${unit && ` ${unit}`})`);
  }
}
if (values.missed) console.log([...missed].join(' '));
else console.log(Object.entries(count).map(([verdict, n]) => `${n} ${verdict}`).join(', '));
process.exitCode = missed.size > 0 && !values.missed ? 1 : 0;
