import { LocalSubprocessRuntime, type SubprocessHandle, type SubprocessOutcome, type SubprocessStdio } from '../index.js';
import type { RunOptions } from './arguments.js';
import { EXIT_OWN_ERROR, EXIT_TIMEOUT, launchErrorExitCode, outcomeExitCode, signalExitCode } from './exit-code.js';
import { type Interrupts, onInterrupt } from './interrupts.js';
import { Output, outputSpec, planOutput } from './output.js';
import { Progress } from './progress.js';
import { humanReport, jsonReport, quietReport, type RunSummary } from './report.js';
import { flushed } from './sink.js';
import { pumpStdin } from './stdin.js';

/** A command that ended in order leaves its last children this long to end by themselves, in milliseconds. */
const AFTERGLOW_MS = 50;

/** Runs the command and reports; resolves with the exit code of holdfast when nothing of the command is left. */
export async function run(options: RunOptions): Promise<number> {
  const started = performance.now();
  const warnings: string[] = [];
  const runtime = new LocalSubprocessRuntime({ ownership: options.owner, onWarning: (message) => warnings.push(message) });
  let job: Job | undefined;
  const failures: unknown[] = [];
  try {
    job = startJob(runtime, options);
    await job.end();
  } catch (error) {
    failures.push(error);
  }
  await runtime.dispose().catch((error: unknown) => failures.push(error));
  const summary = summarize(options, started, job, failures, warnings);
  // A quiet run is still told why it failed, when that was not the command's doing.
  const text = options.quiet && !options.json ? quietReport(summary) : options.json ? `${jsonReport(summary)}\n` : humanReport(summary);
  process.stderr.write(text);
  await flushed(process.stderr);
  return summary.exitCode;
}

/** A started command, and what it takes to see it to its end. */
interface Job {
  readonly handle: SubprocessHandle;
  readonly output: Output;
  readonly interrupts: Interrupts;
  readonly timedOut: () => boolean;
  readonly outcome: () => SubprocessOutcome | undefined;
  /** Resolves when the range is empty and the output has been passed on. */
  readonly end: () => Promise<void>;
}

function startJob(runtime: LocalSubprocessRuntime, options: RunOptions): Job {
  const plan = planOutput(options);
  const outputs = outputSpec(plan, options);
  const { command, cwd, env, graceMs, limits } = options;
  const stdio: SubprocessStdio = { stdin: process.stdin.isTTY ? 'ignore' : 'pipe', stdout: outputs, stderr: outputs };
  const handle = runtime.spawn({ argv: command, cwd, env, graceMs, limits, stdio });
  let timedOut = false;
  let outcome: SubprocessOutcome | undefined;
  const output = new Output(handle, plan);
  const progress = startProgress(options, handle, output);
  const interrupts = onInterrupt(
    () => handle.terminate(),
    () => progress?.stop(),
  );
  const timer =
    options.timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          handle.terminate();
        }, options.timeoutMs);
  if (handle.stdin !== undefined) pumpStdin(process.stdin, handle.stdin);

  const end = async (): Promise<void> => {
    try {
      try {
        outcome = await handle.done;
      } finally {
        clearTimeout(timer);
        await endRange(handle);
      }
    } finally {
      progress?.stop();
      await output.finish(graceMs, () => !timedOut && interrupts.received() === undefined);
      interrupts.stop();
    }
  };
  return { handle, output, interrupts, timedOut: () => timedOut, outcome: () => outcome, end };
}

/** Whatever outlived the command is ended: this program promises that nothing is left. */
async function endRange(handle: SubprocessHandle): Promise<void> {
  if (await handle.waitForExit(AbortSignal.timeout(AFTERGLOW_MS))) return;
  handle.terminate();
  await handle.waitForExit();
}

function startProgress(options: RunOptions, handle: SubprocessHandle, output: Output): Progress | undefined {
  if (options.json || options.quiet || !process.stderr.isTTY || process.env['TERM'] === 'dumb') return undefined;
  const progress = new Progress(
    process.stderr,
    () => output.bytes('stdout') + output.bytes('stderr'),
    async () => {
      const { members } = await handle.inspect();
      return { members: members.length, memoryBytes: members.reduce((sum, { rssBytes }) => sum + rssBytes, 0) };
    },
  );
  output.showAbove(progress);
  return progress;
}

function summarize(options: RunOptions, started: number, job: Job | undefined, failures: readonly unknown[], warnings: readonly string[]): RunSummary {
  const failure = failures[0];
  const signal = job?.interrupts.received();
  const outcome = job?.outcome();
  const base = {
    command: options.command,
    outcome: outcome ?? null,
    elapsedMs: Math.round(performance.now() - started),
    output: { stdout: job?.output.bytes('stdout') ?? 0, stderr: job?.output.bytes('stderr') ?? 0 },
    report: job?.handle.report(),
    warnings,
    error: failure === undefined ? undefined : describe(failure),
  };
  if (signal !== undefined) return { ...base, cause: 'interrupt', exitCode: signalExitCode(signal) };
  if (failure !== undefined || outcome === undefined) {
    return { ...base, cause: 'error', exitCode: outcome === undefined ? launchErrorExitCode(failure) : EXIT_OWN_ERROR };
  }
  if (job?.timedOut()) return { ...base, cause: 'timeout', exitCode: EXIT_TIMEOUT };
  return { ...base, cause: 'exit', exitCode: outcomeExitCode(outcome) };
}

function describe(failure: unknown): { message: string; code: string | undefined } {
  if (!(failure instanceof Error)) return { message: String(failure), code: undefined };
  return { message: failure.message, code: (failure as NodeJS.ErrnoException).code };
}
