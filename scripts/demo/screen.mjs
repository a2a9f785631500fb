// What the demo prints: headings, one live line, facts, and the list of expectations that decides the exit code.

const live = process.stdout.isTTY === true && process.env.TERM !== 'dumb';
const LINE_MS = live ? 200 : 3000;
let lastLine = -Infinity;
let shown = false;

const expectations = [];

export function heading(text) {
  clear();
  console.log(`\n${text}\n${'-'.repeat(text.length)}`);
}

export function say(text = '') {
  clear();
  console.log(text);
}

/** A fact with its name, in columns. */
export function fact(name, value) {
  say(`  ${name.padEnd(28)} ${value}`);
}

/** Replaces the live line on a terminal; elsewhere it is a line now and then. */
export function progress(text) {
  const now = performance.now();
  if (now - lastLine < LINE_MS) return;
  lastLine = now;
  if (!live) {
    console.log(`  … ${text}`);
    return;
  }
  shown = true;
  process.stdout.write(`\r\x1b[K  ${text.slice(0, (process.stdout.columns || 80) - 4)}`);
}

/** Remembers whether something is as it must be, and prints it. */
export function expect(what, holds, seen) {
  expectations.push({ what, holds });
  say(`  ${holds ? 'ok  ' : 'FAIL'} ${what}${seen === undefined ? '' : ` (${seen})`}`);
}

/** Expectations that did not hold. */
export function failed() {
  return expectations.filter(({ holds }) => !holds).map(({ what }) => what);
}

export function expected() {
  return expectations.length;
}

export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  rows.forEach((row, index) => {
    say(`  ${row.map((cell, column) => cell.padEnd(widths[column])).join('  ').trimEnd()}`);
    if (index === 0) say(`  ${widths.map((width) => '-'.repeat(width)).join('  ')}`);
  });
}

export const ms = (value) => (value < 10 ? `${value.toFixed(1)} ms` : value < 10_000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`);
export const mb = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
export const gb = (bytes) => `${(bytes / 1e9).toFixed(2)} GB`;

function clear() {
  if (!shown) return;
  shown = false;
  process.stdout.write('\r\x1b[K');
}
