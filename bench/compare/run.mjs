// node bench/compare/run.mjs: what Holdfast, child_process, execa and node-pty do in the same situations, into
// bench/results/compare.json. The table of README.md is made of it: node scripts/readme-table.mjs
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { main, must, npm } from '../../scripts/lib/tools.mjs';
import { CONTENDERS } from './contenders.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const FACTS = ['stop', 'crash', 'held', 'output', 'directory'];
const versionOf = (path) => JSON.parse(readFileSync(at(path), 'utf8')).version;

await main(async () => {
  const tool = at('../../tools/compare');
  if (!existsSync(`${tool}/node_modules`)) {
    const [program, ...args] = npm();
    must('Installing execa', program, [...args, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', tool]);
  }
  const facts = {};
  for (const fact of FACTS) {
    facts[fact] = {};
    for (const name of Object.keys(CONTENDERS)) {
      const { stdout } = await promisify(execFile)(process.execPath, [at('facts.mjs'), name, fact], { timeout: 60_000 });
      facts[fact][name] = JSON.parse(stdout.trimEnd().split('\n').at(-1));
      console.log(`${fact}, ${name}: ${facts[fact][name]}`);
    }
  }
  const versions = { Holdfast: versionOf('../../package.json'), child_process: process.version, execa: versionOf('../../tools/compare/node_modules/execa/package.json'), 'node-pty': versionOf('../../node_modules/node-pty/package.json') };
  writeFileSync(at('../results/compare.json'), `${JSON.stringify({ question: 'compare', versions, facts }, null, 2)}\n`);
});
