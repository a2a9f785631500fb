import type { EnvironmentOverrides } from '../../seam/environment.js';
import type { OutputSpec, StdinSpec, SubprocessSpawnSpec, SubprocessStdio } from '../../seam/spec.js';

/** What to start. Nothing has a default but what is optional here. */
export interface TetherSpawnSpec<In extends StdinSpec = StdinSpec, Out extends OutputSpec = OutputSpec, Err extends OutputSpec = OutputSpec> {
  /** Program and arguments; no shell ever sees them. */
  readonly argv: readonly string[];
  readonly workingDirectory: string;
  readonly standardInput: In;
  readonly standardOutput: Out;
  readonly standardError: Err;
  /** Milliseconds from TERM to KILL, and the longest time that `done` waits after the exit for output that somebody keeps open. */
  readonly graceMs: number;
  /** Its abort does what `terminate()` does. */
  readonly signal?: AbortSignal | undefined;
  /** Merged over the scrubbed environment of the host; `null` removes an inherited entry. */
  readonly environment?: Readonly<Record<string, string | null>> | undefined;
}

/** The streams of a Tether specification as the seam has them. */
export interface TetherStreams<In extends StdinSpec, Out extends OutputSpec, Err extends OutputSpec> extends SubprocessStdio {
  readonly stdin: In;
  readonly stdout: Out;
  readonly stderr: Err;
}

/** The same specification in the words of the seam. */
export function seamSpec<In extends StdinSpec, Out extends OutputSpec, Err extends OutputSpec>(
  spec: TetherSpawnSpec<In, Out, Err>,
): SubprocessSpawnSpec<TetherStreams<In, Out, Err>> {
  return {
    argv: spec.argv,
    cwd: spec.workingDirectory,
    stdio: { stdin: spec.standardInput, stdout: spec.standardOutput, stderr: spec.standardError },
    graceMs: spec.graceMs,
    signal: spec.signal,
    env: spec.environment === undefined ? undefined : withoutNull(spec.environment),
  };
}

function withoutNull(environment: Readonly<Record<string, string | null>>): EnvironmentOverrides {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value ?? undefined]));
}
