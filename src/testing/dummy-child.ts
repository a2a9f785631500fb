/** The program behind {@link dummyChild}; nobody imports it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const LIFETIME_MS = 60_000;
const CHUNK = 65_536;

async function flood(bytes: number): Promise<void> {
  const chunk = Buffer.alloc(CHUNK, 'x');
  for (let left = bytes; left > 0; left -= CHUNK) {
    if (!process.stdout.write(chunk.subarray(0, left))) await once(process.stdout, 'drain');
  }
}

async function lines(count: number): Promise<void> {
  for (let line = 1; line <= count; line++) {
    if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
  }
}

function stubborn(): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  setTimeout(() => process.exit(1), LIFETIME_MS);
  process.stdout.write('ready\n');
}

async function daemon(): Promise<void> {
  // Its own first line comes through the pipe that it keeps open: only then has it taken its handlers.
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'stubborn-quietly'], { detached: true, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(child, 'message');
  writeSync(1, `${child.pid}\n`);
  child.disconnect();
  child.unref();
}

function stubbornQuietly(): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  setTimeout(() => process.exit(1), LIFETIME_MS);
  process.on('disconnect', () => {});
  process.send?.('ready');
}

const [, , behaviour = '', number = '0'] = process.argv;
if (behaviour === 'exit') process.exitCode = Number(number);
else if (behaviour === 'flood') await flood(Number(number));
else if (behaviour === 'lines') await lines(Number(number));
else if (behaviour === 'stubborn') stubborn();
else if (behaviour === 'stubborn-quietly') stubbornQuietly();
else if (behaviour === 'daemon') await daemon();
else if (behaviour === 'echo') process.stdin.pipe(process.stdout);
else {
  process.stderr.write(`unknown behaviour ${JSON.stringify(behaviour)}\n`);
  process.exitCode = 64;
}
