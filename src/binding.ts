/**
 * What the addon exports. The addon knows nothing of specs, streams or promises: it takes plain strings and numbers and
 * answers with facts. `native/addon/` is the other side of this file; change both together.
 */

/** Kinds of owner, strongest first. */
export type OwnerKind = 'cgroup' | 'scope' | 'subreaper' | 'job' | 'group';

export interface Binding {
  /**
   * Registers this environment (the main thread or a worker), once. `onFacts` is called on the JS thread with all facts
   * that have come since its last call, coalesced: `[id, kind, a, b, c, d, id, kind, …]`, six values a fact (see
   * {@link FactKind}). It must not throw. Starts no thread; the first spawn or diagnose does.
   */
  attach(options: {
    wardenPath?: string;
    wardenOverride?: string;
    temporaryDirectory?: string;
    /** DBUS_SESSION_BUS_ADDRESS and XDG_RUNTIME_DIR: where a user's manager is asked for a scope. */
    sessionBus?: string;
    runtimeDirectory?: string;
    onFacts: (facts: FactValue[]) => void;
  }): void;
  /** Its constructor launches. */
  readonly Range: RangeConstructor;
  /** Looks a bare name up on `path`, off the JS thread. `extensions`: PATHEXT, where there is such a thing. */
  lookup(command: string, path: string, cwd: string, extensions?: string): Promise<LookupAnswer>;
  /** Probes the owners (once per process) off the JS thread. */
  diagnose(): Promise<NativeDiagnosis>;
  /** KILL for everything that this environment still owns; synchronous, for the host's exit. Never throws. */
  killAll(): void;
  /** While true, this environment's facts keep its event loop alive. */
  keepAlive(on: boolean): void;
  /** What this copy of the addon holds: threads, and ranges that are not over. */
  footprint(): { threads: number; ranges: number };
  /** Switches a terminal of ours to raw mode in both directions. What {@link Binding.restoreMode} needs, or a code such as 'ENOTTY'. */
  rawMode(fd: number): Uint8Array | string;
  /** Takes raw mode back, also from a background job. A code when it fails. */
  restoreMode(fd: number, saved: Uint8Array): string | undefined;
}

/**
 * Hands a launch over and returns at once. Throws only what is wrong with the request itself (never EMFILE).
 *
 * `texts`: items, each followed by NUL: the absolute working directory of the child; that of the host, where relative PATH
 * entries start; owner kinds in order of preference, separated by commas; the managed prefix (with `inherits`) or the child's
 * PATH; names that are taken out of the inherited environment, and an empty item; `K=V` entries that are set over it, or are
 * all there is, and an empty item; program and arguments.
 * `numbers`: see {@link REQUEST_NUMBER}; read during the call only.
 */
export type RangeConstructor = new (texts: string, numbers: Float64Array, extras: RequestExtras | undefined) => NativeRange;

export type FactValue = number | string | null;

/**
 * kind: meaning of a, b, c, d
 * - `started`: pid, owner kind (string)
 * - `failed`: code (string such as 'ENOENT' or one of ours), stage ('resolve' | 'own' | 'launch' | 'io' | 'terminal'), syscall, path or message
 * - `settled`: exit code or null, signal number or 0, drain ('eof' | 'deadline'): `done` may resolve now
 * - `empty`: proof ('proven' | 'observed')
 * - `lost`: code, message, 'range' | 'status'. `range`: the owner can no longer be observed, `done` and waits reject;
 *   `status`: only the command's exit status is lost, `done` rejects, the range is still observed
 * - `grew`: stream (1 | 2): an armed watch has fired (see {@link NativeRange.watch}); it is disarmed. A terminal's output is 1
 * - `wrote`: bytes of input that the terminal has taken so far, and null or the code with which what was still waiting has failed
 * - `warning` (id 0): message, owner kind that holds commands now, why no stronger one does; one when `auto` goes on to
 *   an owner that proves nothing
 * - `ended`: the range and all its streams are over; no fact of this id follows
 */
export type FactKind = 'started' | 'failed' | 'settled' | 'empty' | 'lost' | 'grew' | 'wrote' | 'warning' | 'ended';

/**
 * What a {@link RangeConstructor} reads of its array of numbers, by index. For an output: bytes of the tail that is collected, or
 * one of {@link OUTPUT_CODE}.
 */
export const REQUEST_NUMBER = {
  /** Milliseconds. */
  grace: 0,
  /** How many of the owners the caller named; the rest are those of `auto`, which takes a scope on conditions only. */
  named: 1,
  /** 1 with `auto`: where no owner that proves can be used, `group` may be, with one `warning` fact. */
  mayWeaken: 2,
  /** 1: the child gets the process's own environment, scrubbed. Only where process.env is the process's environment. */
  inherits: 3,
  /** 1 for a stdin that the caller writes. */
  stdinPipe: 4,
  stdout: 5,
  stderr: 6,
  /** Bytes that an output may spill; -1: it does not. */
  stdoutSpill: 7,
  stderrSpill: 8,
} as const;
export const REQUEST_NUMBERS = 9;

export const OUTPUT_CODE = { inherit: -1, pipe: -2 } as const;

/** What few requests have. */
export interface RequestExtras {
  /** Text for stdin. */
  data?: string | undefined;
  control?: boolean;
  /** Characters. With it the command runs on a terminal of this size; then no other stream is looked at. */
  terminal?: { rows: number; cols: number };
  /** Limits of the range. Microseconds of processor time in each 100 ms. */
  limits?: { memoryBytes: number | undefined; processes: number | undefined; cpuMicroseconds: number | undefined };
  /** Given where an output spills: directory in which the private spill directory is made at the first overflow. Absolute. */
  spillDirectory?: string;
  /** Given with it: start of the private spill directory's name, such as 'holdfast-'. */
  spillPrefix?: string;
}

/**
 * The host's end of a stream: a descriptor, for net.Socket, which owns it from then on; on Windows the name of a pipe, to be
 * connected to in the turn of the spawn, once.
 */
export type HostEnd = number | string;

/** Native side of one handle. Keeps its streams' memory until it is collected as garbage. */
export interface NativeRange {
  readonly id: number;
  /**
   * The host's ends of the streams that were asked for as 'pipe'; the control channel is a stream socket, or a pipe in both
   * directions. All absent when descriptors ran out: then a `failed` fact follows. Undefined when none was asked for.
   */
  readonly fds?: { stdin?: HostEnd; stdout?: HostEnd; stderr?: HostEnd; control?: HostEnd } | undefined;
  /** TERM stage, grace, KILL. Idempotent; a no-op on an empty range. Never throws. */
  terminate(): void;
  /** KILL at once. */
  kill(): void;
  /** A 'pipe' stream (1 stdout, 2 stderr) has reached its end on the JS side or was destroyed there. */
  streamClosed(stream: 1 | 2): void;
  /** Bytes of a collected stream from a whole-stream offset, as `[bytes, nextOffset, lossy]`. */
  readBytes(stream: 1 | 2, from: number): [Uint8Array, number, boolean];
  /**
   * The same as text, as `[text, nextOffset, lossy]`; an incomplete last character of an open stream is left out and not
   * counted; a lossy window starts at its first whole character.
   */
  readText(stream: 1 | 2, from: number): [string, number, boolean];
  /** `[bytes received, offset up to which text is complete, ended]`. */
  peek(stream: 1 | 2): [number, number, boolean];
  /** Posts one `grew` fact when more than `beyond` bytes have been received, or the stream ends; at once if so already. */
  watch(stream: 1 | 2, beyond: number): void;
  /** Facts so far; never waits. */
  report(): NativeReport;
  /** Live members of the range, read off the JS thread. */
  inspect(): Promise<NativeMember[]>;
  /** Waits on the calling thread until the launch is known, at most `timeoutMs`; returns the pid, or -1. */
  waitPid(timeoutMs: number): number;

  // The rest throws for a range without a terminal.

  /** The oldest output, at most 64 KiB. null: none now, one `grew` fact follows when there is; undefined: it has ended. */
  takeOutput(): Uint8Array | null | undefined;
  /**
   * Hands input to the terminal, as UTF-8, in order, without waiting. 0: all of it is handed over. More: it is when a
   * `wrote` fact counts this many bytes; no such fact comes after `settled`. A code: it will not be; 'EBADF' is the exit
   * of the top-level process.
   */
  writeInput(text: string): number | string;
  /** Characters, 1 to 65535 each. A code when it fails; 'EBADF' is the exit of the top-level process. */
  resize(rows: number, cols: number): string | undefined;
  /** The group in the foreground, and what it waits for, read off the JS thread; undefined when there is none. */
  foreground(): Promise<NativeForeground | undefined>;
  /** Sends a signal, by number, to the group in the foreground, off the JS thread. SIGKILL does not reach the top-level process. */
  signalForeground(signal: number): Promise<NativeForegroundSignal>;
}

export interface NativeForeground {
  processGroupId: number;
  /**
   * Whether a member of the group is blocked in reading this terminal; `unseen`: none is seen to be, and of one of them the
   * kernel does not say.
   */
  inputWait: 'no' | 'yes' | 'unseen';
}

export type NativeForegroundSignal =
  | { result: 'sent'; processGroupId: number }
  /** There is no such group. */
  | { result: 'nobody' }
  /** SIGKILL, and the top-level process itself is in the foreground. */
  | { result: 'shell'; processGroupId: number }
  | { result: 'failed'; processGroupId: number; code: string; syscall: string };

export type SpillState = 'none' | 'open' | 'complete' | 'discarded' | 'failed';

export interface NativeStreamReport {
  bytes: number;
  retained: number;
  spill: SpillState;
  /** Only for a file that is complete so far. */
  spillPath?: string;
  spillError?: { code: string; syscall: string; path: string };
}

export interface NativeMember {
  pid: number;
  ppid: number;
  /** Clock ticks after boot, field 22 of /proc/<pid>/stat. */
  startTime: number;
  /** One letter as in /proc/<pid>/stat. */
  state: string;
  argv0: string;
  rssBytes: number;
  cpuMs: number;
}

export interface NativeReport {
  launch: 'pending' | 'started' | 'failed';
  pid: number | null;
  owner: OwnerKind | null;
  proof: 'proven' | 'observed' | 'pending';
  drain: 'pending' | 'eof' | 'deadline';
  /** Windows, after terminate(): whether anybody was told before the KILL. Elsewhere TERM reaches everybody. */
  politeStage?: 'sent' | 'unavailable';
  stdout?: NativeStreamReport;
  stderr?: NativeStreamReport;
  strays: { count: number; listed: { pid: number; argv0: string; endedBy: 'TERM' | 'KILL' }[] };
  escaped: { count: number; listed: { pid: number; argv0: string; endedBy: 'TERM' | 'KILL' | null }[] };
  usage?: { userCpuMs: number; systemCpuMs: number; maxRssBytes?: number };
  rangeUsage?: { userCpuMs: number; systemCpuMs: number };
  /** With limits, from the exit of the command on; `peakBytes` where the kernel tells it (Linux 5.19). */
  limits?: { oomKills: number; peakBytes?: number; throttledMs: number };
}

export type LookupAnswer =
  | { path: string }
  /** Nothing found; `code` is EACCES when a candidate was there but could not be run, else ENOENT. */
  | { code: 'ENOENT' | 'EACCES' }
  /** The lookup itself failed (EIO, EMFILE, ENOMEM …). */
  | { failure: string; syscall: string; path: string };

export interface NativeDiagnosis {
  /** `reason`: why it cannot be used; for an available one, why `auto` passes it over. */
  owners: { kind: OwnerKind; available: boolean; reason?: string; proof: 'proven' | 'observed' }[];
  /** What `auto` takes. */
  chosen: OwnerKind;
  warden: { from: 'override' | 'package' | 'memory' | 'directory' | 'none'; path?: string; pid?: number };
  kernel: Record<string, boolean>;
  limits: Record<string, number>;
}
