import type { SubprocessInspection, SubprocessReport } from '../../seam/facts.js';
import type { SubprocessReader, TypedSubprocessHandle } from '../../seam/handle.js';
import type { CollectSpec, OutputSpec, StdinSpec } from '../../seam/spec.js';
import type { TetherStreams } from './spec.js';

/** How the command ended. */
export class SubprocessOutcome {
  /** null: killed by a signal. */
  readonly exitCode: number | null;

  constructor(exitCode: number | null) {
    this.exitCode = exitCode;
  }

  /** The command has exited with code 0. */
  get succeeded(): boolean {
    return this.exitCode === 0;
  }
}

/** A reader where the stream is collected, undefined where it is not. */
type Collected<Asked extends OutputSpec> = [Asked] extends [CollectSpec]
  ? SubprocessReader
  : [Extract<Asked, CollectSpec>] extends [never] ? undefined : SubprocessReader | undefined;

/** A command and everything that descends from it. */
export interface TetherSubprocess<In extends StdinSpec = StdinSpec, Out extends OutputSpec = OutputSpec, Err extends OutputSpec = OutputSpec> {
  /** Process id of the command; waits at most one second for a launch under way; -1 while unknown and after a failed launch. */
  readonly processId: number;
  readonly standardInput: TypedSubprocessHandle<TetherStreams<In, Out, Err>>['stdin'];
  readonly standardOutput: TypedSubprocessHandle<TetherStreams<In, Out, Err>>['stdout'];
  readonly standardError: TypedSubprocessHandle<TetherStreams<In, Out, Err>>['stderr'];
  /** Readable while the command runs and ever after. */
  readonly collectedStdout: Collected<Out>;
  readonly collectedStderr: Collected<Err>;
  /** Settles once; rejects with a SubprocessError when the launch failed or the owner was lost. */
  readonly done: Promise<SubprocessOutcome>;
  /** TERM to the whole range, KILL after `graceMs` to what is left. Idempotent, never throws, does not wait. */
  terminate(): void;
  /** True when the whole range is empty, false when `signal` came first. */
  waitForExit(signal?: AbortSignal): Promise<boolean>;
  /** Facts so far; never waits. */
  report(): SubprocessReport;
  /** Live members of the range. */
  inspect(): Promise<SubprocessInspection>;
  /** `terminate()` and `waitForExit()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A handle of the seam in the words of Tether. */
export function tetherSubprocess<In extends StdinSpec, Out extends OutputSpec, Err extends OutputSpec>(
  handle: TypedSubprocessHandle<TetherStreams<In, Out, Err>>,
): TetherSubprocess<In, Out, Err> {
  const { stdout, stderr } = handle.collected as { stdout?: SubprocessReader; stderr?: SubprocessReader };
  const done = handle.done.then(({ exitCode }) => new SubprocessOutcome(exitCode));
  // A caller that only terminates and waits never looks at it; a failing launch must not end the host for that.
  done.catch(() => {});
  return {
    // Asked for when read: reading it may wait for the launch.
    get processId() {
      return handle.pid;
    },
    standardInput: handle.stdin,
    standardOutput: handle.stdout,
    standardError: handle.stderr,
    // Present exactly when the specification collects the stream, which is what the type says.
    collectedStdout: stdout as Collected<Out>,
    collectedStderr: stderr as Collected<Err>,
    done,
    terminate: handle.terminate,
    waitForExit: handle.waitForExit,
    report: handle.report,
    inspect: handle.inspect,
    [Symbol.asyncDispose]: handle[Symbol.asyncDispose],
  };
}
