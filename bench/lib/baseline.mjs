import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
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

/** The buffer with which `measure(buffer)` was fastest, in milliseconds, of one run each: for cells that are too many to have all in each round. */
export async function bestBuffer(measure) {
  await measure(BUFFERS[0]); // pays for what is not yet in memory
  const times = [];
  for (const buffer of BUFFERS) times.push((await measure(buffer)).ms);
  return BUFFERS[times.indexOf(Math.min(...times))];
}

/** The C read loop over `command`. Throws when it did not get `bytes` bytes. */
export async function readInC(buffer, pipeBytes, command, bytes) {
  return checked(await inC('collect', buffer, pipeBytes, ...command), bytes);
}

/** The C epoll loop over `count` of `command` at once, which write `each` bytes from the monotonic time `at` on. */
export async function readManyInC(buffer, pipeBytes, count, command, each, at) {
  const { ended, ...result } = checked(await inC('many', buffer, pipeBytes, count, ...command), count * each);
  return { ...result, ms: ended - at };
}

/** The C programs that read and store as well: `how` is `rw`, `tee` or `uring`. The file is removed afterwards. */
export async function storeInC(how, buffer, pipeBytes, file, command, bytes) {
  try {
    const program = how === 'uring' ? ['spill-uring'] : ['spill', how];
    return checked(await inC(...program, buffer, pipeBytes, file, ...command), bytes);
  } finally {
    rmSync(file, { force: true });
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
