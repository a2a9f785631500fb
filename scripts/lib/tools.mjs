// What all scripts share: where the project is, how a program is run, how a script ends. Node's own modules only,
// because these scripts run before anything is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const inRoot = (...parts) => join(root, ...parts);
export const packageJson = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));

/** A failure that is not a bug of the script: printed without a stack. */
export class Failure extends Error {}

/** Runs the body of a script; a Failure ends it with one message and exit code 1. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof Failure ? `holdfast: ${error.message}` : error);
    process.exitCode = 1;
  }
}

/**
 * Runs a program to its end in the project's root with our stdio. Returns its exit code; throws a Failure when it cannot
 * be started or is ended by a signal.
 */
export function run(program, args, { env = {}, cwd = root, stdio = 'inherit' } = {}) {
  const result = spawnSync(program, args, { cwd, stdio, env: { ...process.env, ...env } });
  if (result.error) throw new Failure(`cannot run ${program}: ${result.error.message}`);
  if (result.signal) throw new Failure(`${basename(program)} was ended by ${result.signal}`);
  return result.status ?? 1;
}

/** Like run(), and a Failure named after `what` when the exit code is not 0. */
export function must(what, program, args, options) {
  const code = run(program, args, options);
  if (code !== 0) throw new Failure(`${what} failed: ${basename(program)} ${args.slice(0, 3).join(' ')} ended with code ${code}`);
}

/** The path of a JavaScript program of an installed package, by its name in "bin". */
export function bin(packageName, name = packageName) {
  const folder = inRoot('node_modules', packageName);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof manifest.bin === 'string' ? manifest.bin : manifest.bin[name]);
}

/** True when `program` can be run. */
export function has(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/** npm as program and first arguments: the copy that runs us, if one does. */
export function npm() {
  const current = process.env.npm_execpath;
  if (current && basename(current) === 'npm-cli.js' && existsSync(current)) return [process.execPath, current];
  return process.platform === 'win32' ? ['cmd', '/d', '/s', '/c', 'npm'] : ['npm'];
}
