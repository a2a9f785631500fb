import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { root } from './compile.mjs';

/**
 * Installs tools/<name> into build/bench/<name>, as its lockfile says, when first asked for. Returns `{ home, dependencies }`,
 * `home` being the folder whose node_modules has it, or `{ reason }` when it cannot be had: rows against it are then reported
 * as not measured.
 */
export function installed(name) {
  const recipe = `${root}tools/${name}`;
  const home = `${root}build/bench/${name}`;
  if (process.platform !== 'linux' || process.arch !== 'x64') return { reason: `what tools/${name} installs is not for ${process.platform}-${process.arch}` };
  try {
    const wanted = readFileSync(`${recipe}/package-lock.json`, 'utf8');
    const mark = `${home}/installed`;
    if (!existsSync(mark) || readFileSync(mark, 'utf8') !== wanted) {
      mkdirSync(home, { recursive: true });
      for (const file of ['package.json', 'package-lock.json']) copyFileSync(`${recipe}/${file}`, `${home}/${file}`);
      // Without scripts: none is needed for ordinary commands, and what they would compile is for terminals.
      execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], { cwd: home, stdio: ['ignore', 'inherit', 'inherit'], timeout: 300_000 });
      writeFileSync(mark, wanted);
    }
    return { home, dependencies: JSON.parse(readFileSync(`${recipe}/package.json`, 'utf8')).dependencies };
  } catch (error) {
    return { reason: `tools/${name} could not be installed: ${error.message.split('\n')[0]}` };
  }
}
