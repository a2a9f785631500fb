import type { LocalSubprocessRuntime } from '../runtime/local.js';
import type { OwnershipSpec } from '../runtime/options.js';
import type { EnvironmentOverrides } from '../seam/environment.js';
import type { SubprocessOutcome, SubprocessReport } from '../seam/facts.js';
import type { SubprocessLimits } from '../seam/spec.js';

export interface CollectOptions {
  /** Default: the host's, at the call. */
  readonly cwd?: string | undefined;
  /** Merged over the scrubbed environment of the host; `undefined` removes an inherited entry. */
  readonly env?: EnvironmentOverrides | undefined;
  /** Written to stdin as UTF-8, which is then closed. Default: the null device. */
  readonly input?: string | undefined;
  /** Its abort ends the command: `cause` is then `'abort'`. Already aborted: rejects with `ABORT_ERR`. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the command is ended, with `cause` `'timeout'`. More than 0, at most 2³¹ − 1. Default: never. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds from TERM to KILL, and for output that somebody keeps open after the exit. Default 5000. */
  readonly graceMs?: number | undefined;
  /** Bytes of the end of each stream that are kept. Default 1 MiB. */
  readonly maxBytes?: number | undefined;
  /** Write a stream that is longer than that to a private file as well, up to so many bytes. Default: no file. */
  readonly spill?: { readonly maxBytes: number } | undefined;
  readonly limits?: SubprocessLimits | undefined;
  /** Reject with a CommandFailedError unless the command exits by itself with code 0. Default false. */
  readonly check?: boolean | undefined;
  /** Default `'auto'`. Not together with `runtime`. */
  readonly ownership?: OwnershipSpec | undefined;
  /** A runtime of the caller's, which stays the caller's. Default: one of this call's own. */
  readonly runtime?: LocalSubprocessRuntime | undefined;
}

/** One stream of a command that has ended. */
export interface CollectedOutput {
  readonly text: string;
  readonly bytes: Uint8Array;
  /** Bytes that the command has written, of which `bytes` are the last. */
  readonly totalBytes: number;
  /** `bytes` is all that was written. */
  readonly complete: boolean;
  /** File with the complete stream. No key when there is none. */
  readonly spillPath?: string;
}

export interface CollectResult extends SubprocessOutcome {
  /** Why the command was over: by itself, or because the time or the caller's signal came first. */
  readonly cause: 'exit' | 'timeout' | 'abort';
  /** It exited by itself, with code 0. */
  readonly ok: boolean;
  readonly stdout: CollectedOutput;
  readonly stderr: CollectedOutput;
  /** From the call to the end of the command and its output. */
  readonly elapsedMs: number;
  /** Everything else: owner, proof, what outlived the command, usage. */
  readonly report: SubprocessReport;
}
