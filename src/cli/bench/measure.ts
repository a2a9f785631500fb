import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { LocalSubprocessRuntime } from '../../index.js';
import type { Question } from './bars.js';

const COLLECTED_BYTES = 2e9;
const TAIL_BYTES = 1024 * 1024;
const SPAWNS = 40;
/** Arrays of this many numbers fill a heap as a large program's; a fork has to copy its page tables. */
const HEAP_ARRAYS = 250;
const ARRAY_NUMBERS = 250_000;

type Way = (argv: readonly [string, ...string[]]) => { readonly over: Promise<unknown> };

/** The same in both ways: a child's output is taken, of which the end is kept. */
function ways(runtime: LocalSubprocessRuntime): Record<'holdfast' | 'child_process', Way> {
  const output = { maxBytes: TAIL_BYTES };
  return {
    holdfast: (argv) => ({ over: runtime.spawn({ argv, cwd: '/', graceMs: 5000, stdio: { stdin: 'ignore', stdout: output, stderr: output } }).done }),
    child_process: ([program, ...args]) => {
      const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      let tail: Buffer[] = [];
      let kept = 0;
      child.stdout.on('data', (chunk: Buffer) => {
        tail.push(chunk);
        kept += chunk.length;
        if (kept > 2 * TAIL_BYTES) {
          tail = [Buffer.concat(tail).subarray(-TAIL_BYTES)];
          kept = TAIL_BYTES;
        }
      });
      child.stderr.resume();
      return { over: once(child, 'close') };
    },
  };
}

/** Asks one question after the other, in this process. */
export async function* measure(runtime: LocalSubprocessRuntime): AsyncGenerator<Question, void, undefined> {
  const both = ways(runtime);
  for (const start of Object.values(both)) await start(['true']).over; // whatever is started once
  yield { text: `collecting ${COLLECTED_BYTES / 1e9} GB into a tail of 1 MiB`, unit: 'GB/s', better: 'more', values: await each(both, speed) };
  yield { text: 'from spawn() to the end of true', unit: 'ms', better: 'less', values: await each(both, async (start) => median(await repeat(start, 'whole'))) };
  const heap = Array.from({ length: HEAP_ARRAYS }, () => new Array<number>(ARRAY_NUMBERS).fill(0.5));
  const heapText = `${Number(((heap.length * ARRAY_NUMBERS * 8) / 1e9).toPrecision(1))} GB of heap`;
  yield { text: `spawn() holds the event loop, ${heapText}`, unit: 'ms', better: 'less', values: await each(both, async (start) => median(await repeat(start, 'call'))) };
}

async function each(both: Record<string, Way>, ask: (start: Way) => Promise<number>): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  for (const [name, start] of Object.entries(both)) values[name] = await ask(start);
  return values;
}

async function speed(start: Way): Promise<number> {
  const before = performance.now();
  await start(['head', '-c', String(COLLECTED_BYTES), '/dev/zero']).over;
  return COLLECTED_BYTES / 1e6 / (performance.now() - before);
}

async function repeat(start: Way, what: 'whole' | 'call'): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < SPAWNS; at++) {
    const before = performance.now();
    const { over } = start(['true']);
    const called = performance.now() - before;
    await over;
    times.push(what === 'call' ? called : performance.now() - before);
  }
  return times;
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}
