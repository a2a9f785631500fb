// npm run tidy [-- file…]: clang-tidy with .clang-tidy over the native sources of this system (or those named). 1 at the first
// finding. Needs clang-tidy and cmake (Debian: apt-get install clang-tidy cmake).
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Failure, has, inRoot, main, must } from './lib/tools.mjs';

const FOLDER = inRoot('build/tidy');

await main(async () => {
  if (!has('clang-tidy')) throw new Failure('clang-tidy was not found (Debian: apt-get install clang-tidy)');
  must('Configuring', 'cmake', ['-S', '.', '-B', FOLDER, '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON', '-DCMAKE_CXX_COMPILER=clang++', '-DCMAKE_C_COMPILER=clang', '--log-level=ERROR']);
  const known = JSON.parse(readFileSync(`${FOLDER}/compile_commands.json`, 'utf8')).map(({ file }) => file).filter((file) => file.startsWith(inRoot('native')));
  const named = process.argv.slice(2);
  const queue = [...new Set(known)].filter((file) => named.length === 0 || named.some((part) => file.includes(part)));
  if (queue.length === 0) throw new Failure(`no source fits ${named.join(', ')}`);
  const count = queue.length;
  let failed = 0;
  const one = (file) => new Promise((resolve) => {
    const child = spawn('clang-tidy', ['-p', FOLDER, '--quiet', file], { stdio: ['ignore', 'pipe', 'ignore'] });
    let said = '';
    child.stdout.on('data', (text) => { said += text; });
    child.on('close', (code) => {
      if (code !== 0) {
        failed++;
        console.log(said.trim() || `clang-tidy ended with ${code} for ${file}`);
      }
      resolve();
    });
  });
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) await one(file);
  }));
  console.log(`clang-tidy: ${count} sources, ${failed} with findings`);
  process.exitCode = failed > 0 ? 1 : 0;
});
