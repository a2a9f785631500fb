import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a program of bench/host in a fresh Node and returns what it printed as JSON. */
export async function fresh(program, ...args) {
  const path = fileURLToPath(new URL(`../host/${program}.mjs`, import.meta.url));
  const { stdout } = await run(process.execPath, [path, ...args], { cwd: '/' });
  return JSON.parse(stdout);
}
