import { LocalSubprocessRuntime } from './runtime/local.js';
import { checkCollectOptions, type CheckedCollect } from './collect/options.js';
import type { CollectedOutput, CollectOptions, CollectResult } from './collect/types.js';
import { CommandFailedError } from './collect/failure.js';
import type { SubprocessHandle, SubprocessReader } from './seam/handle.js';

export { CommandFailedError } from './collect/failure.js';
export type { CollectedOutput, CollectOptions, CollectResult } from './collect/types.js';

/** What a command leaves gets this long to end by itself before it is ended, in milliseconds. */
const AFTERGLOW_MS = 50;

/**
 * Runs one command to its end, and returns how it ended and what it printed. When this settles, nothing of it is left:
 * what outlives the command is ended, TERM first. A code other than 0, a timeout and an abort are data of the result, with
 * `check` they reject with a {@link CommandFailedError}.
 *
 * Rejects with a SubprocessError when the launch failed, the owner was lost, or the signal was aborted before; with a
 * TypeError or RangeError about an argument. No shell sees `argv`.
 *
 * @example
 * const { exitCode, stdout } = await collect(['git', 'status', '--short'], { timeoutMs: 10_000 });
 */
export async function collect(argv: readonly string[], options: CollectOptions = {}): Promise<CollectResult> {
  const checked = checkCollectOptions(options);
  const runtime = options.runtime ?? new LocalSubprocessRuntime({ ownership: options.ownership });
  let result: CollectResult;
  try {
    result = await runOne(runtime, argv, checked);
  } finally {
    if (options.runtime === undefined) await runtime.dispose();
  }
  if (checked.check && !result.ok) throw new CommandFailedError(argv, result);
  return result;
}

async function runOne(runtime: LocalSubprocessRuntime, argv: readonly string[], options: CheckedCollect): Promise<CollectResult> {
  const started = performance.now();
  const { cwd, env, limits, graceMs, signal, timeoutMs, output, input } = options;
  const stdin = input === undefined ? ('ignore' as const) : { data: input };
  const handle = runtime.spawn({ argv, cwd, env, limits, graceMs, signal, stdio: { stdin, stdout: output, stderr: output } });
  // Which of them came first: a command may end by the signal's TERM before the time is over, or the other way round.
  let cause: CollectResult['cause'] = 'exit';
  const onAbort = (): void => {
    if (cause === 'exit') cause = 'abort';
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => {
    if (cause === 'exit') cause = 'timeout';
    handle.terminate();
  }, timeoutMs);
  const end = async (): Promise<Pick<CollectResult, 'exitCode' | 'signal' | 'cause' | 'elapsedMs'>> => {
    const outcome = await handle.done;
    return { ...outcome, cause, elapsedMs: performance.now() - started };
  };
  let ended: Awaited<ReturnType<typeof end>>;
  try {
    ended = await end();
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    await endLeftovers(handle);
  }
  const { stdout, stderr } = handle.collected;
  return { ...ended, ok: ended.cause === 'exit' && ended.exitCode === 0, stdout: outputOf(stdout), stderr: outputOf(stderr), report: handle.report() };
}

async function endLeftovers(handle: SubprocessHandle): Promise<void> {
  if (await handle.waitForExit(AbortSignal.timeout(AFTERGLOW_MS))) return;
  handle.terminate();
  await handle.waitForExit();
}

function outputOf(reader: SubprocessReader): CollectedOutput {
  const { text, nextOffset, spillPath } = reader.readFrom(0);
  const { bytes } = reader.readBytes(0);
  return { text, bytes, totalBytes: nextOffset, complete: bytes.length === nextOffset, ...(spillPath === undefined ? {} : { spillPath }) };
}
