// npm run bench [-- question… [--rounds N] [--quick]]: each question is a file of this folder and answers in bench/results/.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = fileURLToPath(new URL('./', import.meta.url));
const known = readdirSync(here).filter((name) => name.endsWith('.mjs') && name !== 'run.mjs').map((name) => name.slice(0, -4)).sort();
const { positionals, values } = parseArgs({ allowPositionals: true, options: { rounds: { type: 'string' }, quick: { type: 'boolean', default: false } } });

const unknown = positionals.filter((one) => !known.includes(one));
if (unknown.length > 0) {
  console.error(`No such question: ${unknown.join(', ')}. There are: ${known.join(', ')}.`);
  process.exit(2);
}
let failed = false;
for (const question of positionals.length > 0 ? positionals : known) {
  // Each question has a process of its own: what one leaves in the heap would be measured by the next. Room for a heap
  // of a gigabyte, and the garbage collector at hand so that it runs between measurements and not in them.
  const options = ['--expose-gc', '--max-old-space-size=4096', `${here}${question}.mjs`];
  if (values.quick) options.push('--quick');
  if (values.rounds !== undefined) options.push('--rounds', values.rounds);
  if (spawnSync(process.execPath, options, { stdio: 'inherit' }).status !== 0) failed = true;
}
process.exitCode = failed ? 1 : 0;
