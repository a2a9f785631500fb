// npm run bench [-- question… [--rounds N] [--bytes N] [--spill-directory D] [--quick]]: each question is a file of this folder and answers in bench/results/.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { LONG } from './lib/floors.mjs';

/** Files here that are no questions. */
const TOOLS = ['run.mjs', 'check.mjs'];
const here = fileURLToPath(new URL('./', import.meta.url));
const known = readdirSync(here).filter((name) => name.endsWith('.mjs') && !TOOLS.includes(name)).map((name) => name.slice(0, -4)).sort();
const { positionals, values } = parseArgs({ allowPositionals: true, options: { rounds: { type: 'string' }, bytes: { type: 'string' }, 'spill-directory': { type: 'string' }, quick: { type: 'boolean', default: false } } });

const unknown = positionals.filter((one) => !known.includes(one));
if (unknown.length > 0) {
  console.error(`No such question: ${unknown.join(', ')}. There are: ${known.join(', ')}.`);
  process.exit(2);
}
let failed = false;
const begin = performance.now();
const seconds = (since) => `${Math.round((performance.now() - since) / 1e3)} s`;
const asked = positionals.length > 0 ? positionals : known.filter((one) => !values.quick || !LONG.includes(one));
for (const question of asked) {
  // Each question has a process of its own, and its contenders have theirs: nobody measures what another has left.
  const options = [`${here}${question}.mjs`];
  if (values.quick) options.push('--quick');
  for (const name of ['rounds', 'bytes', 'spill-directory']) if (values[name] !== undefined) options.push(`--${name}`, values[name]);
  const since = performance.now();
  const { status } = spawnSync(process.execPath, options, { stdio: 'inherit' });
  if (status !== 0) failed = true;
  console.log(`  ${question}: ${seconds(since)}${status === 0 ? '' : ', failed'}\n`);
}
console.log(`All of it: ${seconds(begin)}`);
process.exitCode = failed ? 1 : 0;
