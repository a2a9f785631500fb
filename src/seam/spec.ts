import type { EnvironmentOverrides } from './environment.js';

/** Keep the last `maxBytes` bytes of a stream in memory, and optionally the whole stream in a file. */
export interface CollectSpec {
  /** Bytes of the tail that stays readable: a non-negative safe integer. 0 keeps nothing and counts everything. */
  readonly maxBytes: number;
  /**
   * With it, output that outgrows the tail is written to a private file as well, from its first byte on, up to
   * `maxBytes` bytes (a non-negative safe integer). A stream longer than that has no file at all.
   */
  readonly spill?: { readonly maxBytes: number } | undefined;
}

/**
 * - `'ignore'`: the null device.
 * - `'pipe'`: the caller writes to `handle.stdin`.
 * - `{ data }`: written as UTF-8 and closed. A child that does not read it is no error.
 */
export type StdinSpec = 'ignore' | 'pipe' | { readonly data: string };

/**
 * - `'pipe'`: the caller reads `handle.stdout` or `handle.stderr`; nothing is buffered beyond that stream.
 * - `'inherit'`: the host's own descriptor.
 * - {@link CollectSpec}: kept in memory, read through `handle.collected`.
 */
export type OutputSpec = 'pipe' | 'inherit' | CollectSpec;

export interface SubprocessStdio {
  readonly stdin: StdinSpec;
  readonly stdout: OutputSpec;
  readonly stderr: OutputSpec;
  /** A byte channel in both directions, descriptor 7 of the child; see `holdfast/control`. */
  readonly control?: 'pipe' | undefined;
}

/** What a range may use: the command and everything that descends from it, together. */
export interface SubprocessLimits {
  /** Bytes of memory, none of it swapped out: a positive safe integer. Beyond it the kernel ends a member with KILL. */
  readonly memoryBytes?: number | undefined;
  /** Processes and threads at one time: an integer from 1 to 4194304. Beyond it a fork fails with EAGAIN. */
  readonly processes?: number | undefined;
  /** Processors' worth of time, such as 0.5 or 2: from 0.01 to 100000. Beyond it members wait. */
  readonly cpus?: number | undefined;
}

/** What to start. Everything is explicit; nothing has a default but what is optional here. */
export interface SubprocessSpawnSpec<Stdio extends SubprocessStdio = SubprocessStdio> {
  /**
   * Program and arguments; no shell ever sees them. The program is an absolute path, a bare name (searched on the PATH
   * of the child's environment) or a path relative to `cwd`. No NUL; the program is not empty.
   */
  readonly argv: readonly string[];
  /** Working directory, not empty; a relative one starts at the host's, as it is at the call. */
  readonly cwd: string;
  readonly stdio: Stdio;
  /**
   * Milliseconds between TERM and KILL, and the longest time that `done` waits after the exit for output that somebody
   * keeps open. More than 0, at most {@link MAX_TIMER_DELAY_MS}.
   */
  readonly graceMs: number;
  /** Its abort does what `terminate()` does. Already aborted: `spawn` throws `ABORT_ERR`. */
  readonly signal?: AbortSignal | undefined;
  /** Merged over the scrubbed environment of the host; `undefined` removes an inherited entry. */
  readonly env?: EnvironmentOverrides | undefined;
  /**
   * Enforced by the owner: a scope, or a cgroup whose controllers are enabled for its children. Where no owner that may be
   * used can, `done` rejects with `LIMITS_UNAVAILABLE` and nothing is started.
   */
  readonly limits?: SubprocessLimits | undefined;
}
