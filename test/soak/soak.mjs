// A random mixture of everything for so many minutes. soak.mjs [--minutes N] [--seed S] [--job I] [--owner KIND]. Each
// second it looks at what this process has; every ten it pauses, and everything has to be as at the beginning. The seed is
// printed, and makes the same jobs again; --job plays one of them alone.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LocalSubprocessRuntime as Runtime } from '../../dist/index.js';
import { exceeded, footprint, more } from './invariants.mjs';
import { jobs } from './jobs.mjs';
import { Random } from './random.mjs';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string' }, job: { type: 'string' }, owner: { type: 'string', default: 'auto' } } });
const seed = Number(values.seed ?? randomBytes(4).readUInt32LE());
const PARALLEL = 6;
const PAUSE_MS = 10_000;
/** The end of a job that hangs. */
const JOB_MS = 60_000;
/** Of the resident memory after the first pause. */
const GROWTH_BYTES = 96 << 20;

const place = mkdtempSync(join(tmpdir(), 'holdfast-soak-'));
const mark = `SOAK_MARK=${randomBytes(8).toString('hex')}`;
process.env[mark.split('=')[0]] = mark.split('=')[1];
process.env.TMPDIR = place;
const options = { ownership: values.owner, onWarning: (message) => { fail(`a warning: ${message}`); } };
const world = { Runtime, options, runtime: new Runtime(options), bytes: 0 };
const names = Object.keys(jobs);
const done = Object.fromEntries(names.map((name) => [name, 0]));
let next = 0;
let problem;

function fail(message) {
  problem ??= message;
}

async function play(index) {
  const random = new Random(seed ^ Math.imul(index, 0x9e3779b1));
  const name = random.one(names);
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => { reject(new Error(`not over after ${JOB_MS} ms`)); }, JOB_MS); });
  try {
    await Promise.race([jobs[name](world, random), late]);
    done[name]++;
  } catch (error) {
    fail(`job ${index} (${name}): ${error.stack}\nAlone: npm run soak -- --seed ${seed} --job ${index}`);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until everything is as before, as long as a crowded machine may need; what is not, is a leak. */
async function settled(before) {
  let left = [];
  for (const end = performance.now() + 20_000; performance.now() < end;) {
    left = more(before, footprint(mark, place));
    if (left.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  fail(`left behind:\n  ${left.join('\n  ')}`);
}

/** Six jobs at a time until `until`; a look each second. */
async function stretch(before, until) {
  let running = 0;
  const line = async () => {
    while (performance.now() < until && problem === undefined) {
      running++;
      await play(next++);
      running--;
    }
  };
  // A look is no moment: processes begin and end while it is taken. What is seen in two of them has stayed.
  let last = { zombies: [], strays: [] };
  let looks = 0;
  const look = setInterval(() => {
    const now = footprint(mark, place);
    const wrong = exceeded(before, now, PARALLEL);
    if (wrong !== undefined) fail(wrong);
    for (const kind of Object.keys(last)) {
      const same = now[kind].filter((pid) => last[kind].includes(pid));
      if (same.length > 0) fail(`${kind} for a second: ${same.join(', ')}`);
    }
    last = { zombies: now.zombies, strays: now.strays };
    looks++;
  }, 1000);
  await Promise.all(Array.from({ length: PARALLEL }, line));
  clearInterval(look);
  return looks;
}

console.log(`soak: seed ${seed}, ${values.minutes} min, owner ${values.owner}`);
// What is started once: threads, warden, workers' code.
for (const name of names) await jobs[name](world, new Random(1));
const before = footprint(mark, place);
const started = performance.now();
let [pauses, looks] = [0, 0];
let first;
if (values.job !== undefined) await play(Number(values.job));
for (const end = started + Number(values.minutes) * 60_000; values.job === undefined && performance.now() < end && problem === undefined;) {
  looks += await stretch(before, Math.min(end, performance.now() + PAUSE_MS));
  if (problem === undefined) await settled(before);
  globalThis.gc?.();
  const { rss } = process.memoryUsage();
  first ??= rss;
  if (rss > first + GROWTH_BYTES) fail(`resident memory has grown from ${first} to ${rss} bytes`);
  pauses++;
}
if (problem === undefined) await settled(before);
await world.runtime.dispose();
const rest = readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => entry.name);
if (rest.length > 0) fail(`files: ${rest.join(', ')}`);
rmSync(place, { recursive: true });
const total = Object.values(done).reduce((sum, count) => sum + count, 0);
console.log(`soak: ${total} jobs of ${names.length} kinds, ${(world.bytes / 1e6).toFixed(0)} MB checked, ${looks} looks, ${pauses} pauses with everything as before, ${((performance.now() - started) / 1000).toFixed(0)} s: ${problem === undefined ? 'every invariant held' : 'FAILED'}`);
if (problem !== undefined) {
  console.error(`soak: seed ${seed}: ${problem}`);
  process.exit(1);
}
