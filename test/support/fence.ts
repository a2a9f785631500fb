import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { stat as touchThreadPool } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { LocalSubprocessRuntime, type OwnerKind } from './holdfast.ts';
import { dummy } from './paths.ts';
import { descendants, marked, openFiles, threads, tryRead } from './proc.ts';

/** Everything that a spawn could leave behind, as lists that compare and print well. */
interface Footprint {
  descriptors: string[];
  threads: string[];
  /** Children and grandchildren, zombies too. */
  processes: string[];
  /** Processes that carry our mark in their environment and hang anywhere, such as below init. */
  strays: string[];
  temporary: string[];
  leaves: string[];
}

export interface Fence {
  /** A directory of this file's own: the temp directory while its tests run, and the cwd of its commands. */
  readonly directory: string;
  /** Rejects, naming what is left, when this process is not as it was after the first spawn. */
  check(): Promise<void>;
}

/**
 * Compares this process with its state after the first spawn, after each test of the calling file. The first spawn
 * starts the addon's threads and its warden, which stay as long as the environment.
 */
export function leakFence(): Fence {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-spec-'));
  const mark = `FENCE_MARK=${randomBytes(8).toString('hex')}`;
  const [name = '', value = ''] = mark.split('=');
  const outside = process.env['TMPDIR'];
  let baseline: Footprint;
  let subtree: string | undefined;

  const look = (): Footprint => ({
    descriptors: openFiles(),
    threads: threads(),
    processes: descendants(process.pid).map((one) => `${one.pid} ${one.comm} ${one.state === 'Z' ? 'zombie' : ''}`),
    strays: marked(mark).map((pid) => `${pid} ${(tryRead(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ')}`),
    temporary: readdirSync(directory).sort(),
    leaves: subtree === undefined ? [] : readdirSync(subtree, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name),
  });

  const check = async (): Promise<void> => {
    let left: string[] = [];
    for (const end = performance.now() + 20_000; ;) {
      left = differences(baseline, look());
      if (left.length === 0) return;
      if (performance.now() > end) break;
      await delay(10);
    }
    const now = look();
    baseline = now; // the next test is not to be blamed for it
    throw new Error(`Left behind:\n  ${left.join('\n  ')}`);
  };

  beforeAll(async () => {
    process.env[name] = value;
    process.env['TMPDIR'] = directory;
    subtree = await firstSpawn();
    baseline = look();
  });
  afterEach(check);
  afterAll(() => {
    if (outside === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = outside;
    rmSync(directory, { recursive: true, force: true });
  });
  return { directory, check };
}

/** Starts whatever is started once, and returns the directory of cgroup leaves where that is how ranges are held. */
async function firstSpawn(): Promise<string | undefined> {
  await touchThreadPool('/');
  const named = process.env['HOLDFAST_TEST_OWNERS']?.split(',') as OwnerKind[] | undefined;
  await using runtime = new LocalSubprocessRuntime({ removeSpillOnDispose: true, onWarning: () => {}, ownership: [...(named ?? []), 'auto'] });
  const collect = { maxBytes: 65536 };
  const spec = { cwd: '/', graceMs: 5000, stdio: { stdin: 'ignore', stdout: collect, stderr: collect } } as const;
  const spilling = runtime.spawn({ ...spec, argv: dummy('write', 1, 300_000, 65536, 0), stdio: { ...spec.stdio, stdout: { maxBytes: 1024, spill: { maxBytes: 1e6 } } } });
  await Promise.all([spilling.done, spilling.waitForExit()]);

  // The owners under test, where they are named, have a warden of their own beside that of the others.
  await using others = new LocalSubprocessRuntime({ onWarning: () => {} });
  if (named !== undefined) await others.spawn({ ...spec, argv: ['/bin/true'] }).waitForExit();

  const held = runtime.spawn({ ...spec, argv: ['/bin/cat', '/proc/self/cgroup'] });
  await Promise.all([held.done, held.waitForExit()]);
  if (held.report().owner !== 'cgroup') return undefined;
  const leaf = /^0::(.*)$/m.exec(held.collected.stdout.readFrom(0).text)?.[1] ?? '';
  return join(unifiedMount(), leaf, '..');
}

export function unifiedMount(): string {
  return /^\S+ (\S+) cgroup2 /m.exec(tryRead('/proc/self/mounts') ?? '')?.[1] ?? '/sys/fs/cgroup';
}

/** What is there now and was not before; less than before is no leak. */
function differences(before: Footprint, after: Footprint): string[] {
  return (Object.keys(before) as (keyof Footprint)[]).flatMap((key) => subtract(after[key], before[key]).map((one) => `${key}: ${one}`));
}

function subtract(from: string[], what: string[]): string[] {
  const left = [...from];
  for (const one of what) {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}
