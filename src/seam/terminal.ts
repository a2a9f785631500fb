import type { Readable } from 'node:stream';
import type { EnvironmentOverrides } from './environment.js';
import type { SubprocessInspection, SubprocessOutcome, SubprocessReport } from './facts.js';

/** What to start on a terminal of its own. Everything is explicit; nothing has a default but what is optional here. */
export interface SubprocessTerminalSpawnSpec {
  /**
   * Program and arguments; no shell ever sees them. The program is an absolute path, a bare name (searched on the PATH
   * of the child's environment) or a path relative to `cwd`. No NUL; the program is not empty.
   */
  readonly argv: readonly string[];
  /** Working directory, not empty, and the child's PWD; a relative one starts at the host's, as it is at the call. */
  readonly cwd: string;
  /** Merged over the scrubbed environment of the host; `undefined` removes an inherited entry. */
  readonly env?: EnvironmentOverrides | undefined;
  /** Height in characters: an integer from 1 to 65535. */
  readonly rows: number;
  /** Width in characters: an integer from 1 to 65535. */
  readonly cols: number;
  /** TERM of the child, such as `xterm-256color`; wins over one in `env`. Whether it exists is the program's matter. */
  readonly terminalType: string;
  /**
   * Watch the prompt of `bash -i` or `zsh -i`, so that `inspectActivity()` can tell an idle shell; work that outlives the
   * shell is then left alone until `terminate()`. Without it, the end of the top-level process ends the whole terminal.
   */
  readonly shellActivity?: boolean | undefined;
  /** Milliseconds between TERM and KILL. More than 0, at most {@link MAX_TIMER_DELAY_MS}. */
  readonly graceMs: number;
  /** Its abort cancels the allocation. It has no effect once the handle is there. */
  readonly signal?: AbortSignal | undefined;
}

/** Signals that `signalForeground` sends. */
export type TerminalSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL' | 'SIGTSTP' | 'SIGHUP';

export interface TerminalForeground {
  readonly processGroupId: number;
  /** The kernel shows a member of the group that is blocked in reading this terminal. False when that cannot be seen. */
  readonly inputWaiting: boolean;
}

export interface TerminalActivity {
  /** `idle`: positive evidence of a shell at its prompt with nothing else running. `unknown`: no evidence for either. */
  readonly state: 'idle' | 'busy' | 'unknown';
  /** Changes exactly when the state or its evidence does. Of this handle; 1 or more. */
  readonly revision: number;
}

/** A program on a terminal of its own, and everything that descends from it. */
export interface SubprocessTerminalHandle {
  /** Process id of the top-level process. */
  readonly pid: number;
  /**
   * Exactly the bytes of the terminal, in order. Ends after everything that was queued when the top-level process exited,
   * also when a member that lives on keeps the terminal open. Unread output stops the program, not the host; at most
   * 256 KiB are held beside this stream's own buffer. Destroying it throws the rest of the output away.
   */
  readonly output: Readable;
  /** How the top-level process ended; may come before the end of `output`. Nobody has to look at it. */
  readonly done: Promise<SubprocessOutcome>;
  /**
   * Types `text`, as UTF-8 and unchanged. Resolves when all of it has been handed to the terminal, not when it has been
   * read; calls keep their order. In canonical mode the kernel keeps at most 4095 bytes of a line (1024 on macOS), and
   * drops the rest of it without a word. Rejects with `TERMINAL_EXITED` after the exit of the top-level process.
   */
  write(text: string): Promise<void>;
  /**
   * Sets the size, each an integer from 1 to 65535, and tells the foreground group (SIGWINCH). Rejects with a RangeError
   * for other values, with `TERMINAL_EXITED` after the exit of the top-level process.
   */
  resize(cols: number, rows: number): Promise<void>;
  /** The process group that has the terminal; undefined when there is none (any more). */
  inspectForeground(): Promise<TerminalForeground | undefined>;
  /** What the shell on this terminal is doing. Never rejects for an observation that is incomplete: that is `unknown`. */
  inspectActivity(): Promise<TerminalActivity>;
  /**
   * Sends a signal to the foreground group, and resolves to that group's id. Rejects with `NO_FOREGROUND` when there is
   * none, with `SHELL_IN_FOREGROUND` for SIGKILL while the top-level process itself is in the foreground, and with the
   * system's error when the signal cannot be sent.
   */
  signalForeground(signal: TerminalSignal): Promise<number>;
  /**
   * TERM to every member, KILL after `graceMs` to what is left; resolves when nobody is left and the terminal is closed.
   * Idempotent: the same promise until it fails; after a failure a new attempt. Rejects with `CLEANUP_FAILED`, naming the
   * survivors, when members outlive their KILL (they hang in the kernel), and with `OWNER_LOST`.
   */
  terminate(): Promise<void>;
  /** Facts so far; never waits. */
  report(): SubprocessReport;
  /** Live members, read off the JS thread. */
  inspect(): Promise<SubprocessInspection>;
  /** `terminate()`. */
  [Symbol.asyncDispose](): Promise<void>;
}
