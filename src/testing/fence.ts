import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { LocalSubprocessRuntime } from '../runtime/local.js';
import { differences, look } from './footprint.js';

export interface LeakFenceOptions {
  /** Milliseconds that what is ending anyway may take until `check()` calls it a leak. Default 3000. */
  readonly settleMs?: number | undefined;
}

export interface LeakFence extends AsyncDisposable {
  /**
   * Compares this process with its state when the fence was made. Rejects with an Error that names what is left: descriptors,
   * threads, descendants (zombies too), and processes started since then that hang anywhere in the system.
   * What was named is not named again, so that one test is not blamed for another.
   */
  check(): Promise<void>;
}

/**
 * Takes the baseline of a test. Starts one command first, because the first one starts the addon's threads and its helper
 * process, which stay. Sets `FENCE_MARK` in `process.env`, by which processes are found that have left the tree, and takes
 * it back on disposal, which checks once more. Linux: it reads `/proc`. One fence at a time in a process.
 *
 * @example
 * await using fence = await leakFence();
 */
export async function leakFence(options: LeakFenceOptions = {}): Promise<LeakFence> {
  if (process.platform !== 'linux') throw new Error('leakFence() reads /proc, which only Linux has');
  const { settleMs = 3000 } = options;
  const mark = randomBytes(8).toString('hex');
  const before = process.env['FENCE_MARK'];
  await warmUp();
  process.env['FENCE_MARK'] = mark;
  let baseline = look(mark);

  const check = async (): Promise<void> => {
    const end = performance.now() + settleMs;
    for (;;) {
      const now = look(mark);
      const left = differences(baseline, now);
      if (left.length === 0) return;
      if (performance.now() > end) {
        baseline = now;
        throw new Error(`Left behind:\n  ${left.join('\n  ')}`);
      }
      await delay(10);
    }
  };
  const dispose = async (): Promise<void> => {
    if (before === undefined) delete process.env['FENCE_MARK'];
    else process.env['FENCE_MARK'] = before;
    await check();
  };
  return { check, [Symbol.asyncDispose]: dispose };
}

async function warmUp(): Promise<void> {
  await stat('/'); // the threads of Node's own pool
  const runtime = new LocalSubprocessRuntime({ onWarning: () => {} });
  const output = { maxBytes: 1 };
  const handle = runtime.spawn({ argv: [process.execPath, '--version'], cwd: '/', graceMs: 5000, stdio: { stdin: 'ignore', stdout: output, stderr: output } });
  await Promise.all([handle.done, handle.waitForExit()]);
  await runtime.dispose();
}
