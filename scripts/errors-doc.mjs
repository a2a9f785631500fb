// Writes docs/errors.md from the tables of src/seam/error-table.ts (as built): node scripts/errors-doc.mjs [--check]
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { ERROR_TABLE, SYSTEM_ERRORS } from '../dist/seam/error-table.js';

const path = new URL('../docs/errors.md', import.meta.url);
const HOW = { throws: 'thrown by the call', rejects: 'rejects the promise', either: 'thrown, or rejects' };
const cell = (text) => text.replaceAll('|', '\\|');
const table = (head, rows) => [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

const page = `# Errors

<!-- Written by scripts/errors-doc.mjs from src/seam/error-table.ts; change it there. -->

Compare \`code\`, or use \`instanceof\`; messages are for people and may change. What is wrong with the arguments is thrown by the
call itself, before anything is started. Everything later rejects a promise, most often \`done\`, with a \`SubprocessError\`:
an Error with Node's \`code\`, \`errno\`, \`syscall\`, \`path\` and \`spawnargs\`, and with \`stage\` (what was being done: \`resolve\`,
\`own\`, \`launch\`, \`io\`, \`spill\`, \`wait\`, \`terminal\`) and \`owner\`. After an error of a launch nothing is left behind,
\`waitForExit()\` answers true, and the next spawn is not affected.

A lookup that has finished and found nothing rejects with \`SubprocessExecutableNotFoundError\`, which has no \`code\`.

## Codes of this package

${table(['code', 'class', 'how', 'cause', 'remedy'], ERROR_TABLE.map((row) => [`\`${row.code}\``, row.class, HOW[row.how], row.when, row.remedy]))}

## Codes of the operating system

The class is \`SubprocessError\`. Codes of a spill are facts, not errors: \`report().streams.stdout.spillError\` has them, and the
command is not disturbed. A code that is not listed is passed on as the system gave it.

${table(['code', 'stage', 'cause', 'remedy'], SYSTEM_ERRORS.map((row) => [`\`${row.code}\``, row.stages.join(', '), row.when, row.remedy]))}
`;

const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
if (process.argv.includes('--check')) {
  if (before !== page) {
    console.error('docs/errors.md does not belong to src/seam/error-table.ts: npm run build, then node scripts/errors-doc.mjs');
    process.exitCode = 1;
  }
} else if (before !== page) {
  writeFileSync(path, page);
}
