// npm run test:install [-- --all] [-- --list] [-- words…]: the packed package in the hands of its users. Each case is a folder
// of its own with a project in it. Without --all the important cases; with words, those whose name has one of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bundles from '../test/install/cases/bundles.mjs';
import entries from '../test/install/cases/entries.mjs';
import managers from '../test/install/cases/managers.mjs';
import runtimes from '../test/install/cases/runtimes.mjs';
import { runCases } from './lib/cases.mjs';
import { packPackage } from './lib/packed.mjs';
import { prepare } from './lib/prepare.mjs';
import { Failure, main } from './lib/tools.mjs';

await main(async () => {
  const all = [...managers, ...entries, ...bundles, ...runtimes];
  const words = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
  const cases = all.filter(({ name, important }) =>
    (words.length > 0 ? words.some((word) => name.toLowerCase().includes(word.toLowerCase())) : important || process.argv.includes('--all')));
  if (cases.length === 0) throw new Failure(`no such case; there are:\n  ${all.map(({ name }) => name).join('\n  ')}`);
  if (process.argv.includes('--list')) return console.log(cases.map(({ name }) => name).join('\n'));
  prepare();
  const place = mkdtempSync(join(tmpdir(), 'holdfast-packed-'));
  try {
    if (!await runCases('install', cases, { tarball: packPackage(place) })) process.exitCode = 1;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});
