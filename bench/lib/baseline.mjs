import { execFile } from 'node:child_process';
import { unlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import { compiled } from './compile.mjs';
import { median } from './stats.mjs';

const run = promisify(execFile);

/** Buffers of which the best one counts: what is best differs from machine to machine. */
export const BUFFERS = [64 << 10, 256 << 10, 1 << 20];

/** Runs a C program of bench/baseline and returns what it printed as JSON. */
export async function inC(name, ...args) {
  const { stdout } = await run(compiled(name), args.map(String), { maxBuffer: 1 << 24 });
  return JSON.parse(stdout);
}

/** The C read loop over `command`. Throws when it did not get `bytes` bytes. */
export async function readInC(buffer, pipeBytes, command, bytes) {
  return checked(await inC('collect', buffer, pipeBytes, ...command), bytes);
}

/** The C programs that read and store as well: `how` is `rw` or `tee`. The file is removed afterwards. */
export async function storeInC(how, buffer, pipeBytes, file, command, bytes) {
  try {
    return checked(await inC('spill', how, buffer, pipeBytes, file, ...command), bytes);
  } finally {
    unlinkSync(file);
  }
}

/** The contender of `names` with the lowest median of milliseconds. */
export function fastest(results, names) {
  const typical = (name) => median(results[name].map((one) => one.ms));
  return [...names].sort((a, b) => typical(a) - typical(b))[0];
}

function checked(result, bytes) {
  if (result.bytes !== bytes || result.status !== 0) throw new Error(`the C program read ${result.bytes} bytes of ${bytes}, status ${result.status}`);
  return result;
}
