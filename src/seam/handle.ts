import type { Duplex, Readable, Writable } from 'node:stream';
import type { SubprocessInspection, SubprocessOutcome, SubprocessReport } from './facts.js';
import type { LinesOptions, SubprocessLine } from './lines.js';
import type { CollectSpec, OutputSpec, SubprocessStdio } from './spec.js';

/** `Stream` when 'pipe' was asked for, undefined when not, either when the type of the specification does not tell. */
type WhenPiped<Asked, Stream> = [Asked] extends ['pipe'] ? Stream : 'pipe' extends Asked ? Stream | undefined : undefined;

/** An optional member that a literal leaves out would be `unknown` when looked up, which is not the same as not asked for. */
type AskedControl<Stdio extends SubprocessStdio> = 'control' extends keyof Stdio ? Stdio['control'] : undefined;

type WhenCollected<Name extends string, Asked> = [Asked] extends [CollectSpec]
  ? { readonly [Key in Name]: SubprocessReader }
  : [Extract<Asked, CollectSpec>] extends [never]
    ? { readonly [Key in Name]?: never }
    : { readonly [Key in Name]?: SubprocessReader };

/** The readers of the collected streams; a stream that is not collected has no key. */
export type CollectedReaders<Stdio extends SubprocessStdio> = WhenCollected<'stdout', Stdio['stdout']> &
  WhenCollected<'stderr', Stdio['stderr']>;

type IfCollected<Name extends string, Asked extends OutputSpec> = [Extract<Asked, CollectSpec>] extends [never] ? never : Name;

/** Names of the streams that are collected, or may be when the type of the specification does not tell. */
export type CollectedName<Stdio extends SubprocessStdio> = IfCollected<'stdout', Stdio['stdout']> | IfCollected<'stderr', Stdio['stderr']>;

interface ReadFacts {
  /** Whole-stream offset to read from next. */
  nextOffset: number;
  /** The offset had slid out of the tail: everything retained was returned, the gap is only in the spill file. */
  lossy: boolean;
  /** File with the complete stream so far. No key when there is none. */
  spillPath?: string;
}

export interface SubprocessTextRead extends ReadFacts {
  text: string;
}

export interface SubprocessBytesRead extends ReadFacts {
  /** A copy; the caller's. */
  bytes: Uint8Array;
}

/**
 * A collected stream. Offsets are bytes from the start of the stream, non-negative safe integers (anything else throws a
 * RangeError), and are the caller's: reading consumes nothing. Readable while the command runs and ever after.
 */
export interface SubprocessReader {
  /**
   * Text from an offset to the end. A character whose last bytes have not come yet is left for the next read; invalid
   * bytes become U+FFFD as in a WHATWG decoder. A lossy read begins at a whole character.
   */
  readFrom(fromByte: number): SubprocessTextRead;
  /** The same as bytes, exact to the byte. */
  readBytes(fromByte: number): SubprocessBytesRead;
  /**
   * Waits until `readFrom(fromByte)` (with `bytes`: `readBytes`) would return something or move its offset: true. False
   * when the stream has ended and nothing lies beyond `fromByte`. Rejects with the signal's reason.
   */
  changed(fromByte: number, options?: { signal?: AbortSignal | undefined; bytes?: boolean | undefined }): Promise<boolean>;
}

/** A command and everything that descends from it. */
export interface SubprocessHandle {
  /** Errors of writing (EPIPE) are the caller's, as in Node. Destroyed when the command has exited. */
  readonly stdin: Writable | undefined;
  /** Never drained by anybody but the caller; what was not read before the exit stays readable after it. */
  readonly stdout: Readable | undefined;
  readonly stderr: Readable | undefined;
  /** The host's end of the control channel; half-open. The caller's, but destroyed when the runtime is disposed. */
  readonly control: Duplex | undefined;
  /** A reader for each collected stream, and no key for another. */
  readonly collected: { readonly stdout?: SubprocessReader; readonly stderr?: SubprocessReader };
  /**
   * Settles once: after the exit of the command and the end of its collected and piped output, or `graceMs` after the
   * exit. Rejects with a SubprocessError when the launch failed or the owner was lost. Nobody has to look at it.
   */
  readonly done: Promise<SubprocessOutcome>;
  /** TERM to the whole range, KILL after `graceMs` to what is left. Idempotent, never throws, does not wait. */
  terminate(): void;
  /**
   * True when the whole range is empty, not only the command; false when `signal` came first. Rejects when the owner
   * can no longer be observed. True at once after a failed launch.
   */
  waitForExit(signal?: AbortSignal): Promise<boolean>;
  /** Process id of the command; waits at most one second for a launch under way; -1 while unknown and after a failed launch. */
  readonly pid: number;
  /** Facts so far; never waits. */
  report(): SubprocessReport;
  /** Live members of the range, read off the JS thread. */
  inspect(): Promise<SubprocessInspection>;
  /**
   * Follows a collected stream line by line from its first byte to its end, in bounded memory: a consumer that is slower
   * than the tail is long is told of the gap. Independent of every other reader; breaking off costs nothing. Throws a
   * TypeError when that stream is not collected. Ends without a line after a failed launch; `done` has the error.
   */
  lines(stream: 'stdout' | 'stderr', options?: LinesOptions): AsyncGenerator<SubprocessLine, void, undefined>;
  /** `terminate()` and `waitForExit()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A handle whose type follows from its specification: `stdio.stdin: 'pipe'` makes `stdin` a Writable, and so on. An
 * interface of its own, because TypeScript would not let a handle of one specification pass for a handle of any.
 */
export interface TypedSubprocessHandle<Stdio extends SubprocessStdio> extends SubprocessHandle {
  readonly stdin: WhenPiped<Stdio['stdin'], Writable>;
  readonly stdout: WhenPiped<Stdio['stdout'], Readable>;
  readonly stderr: WhenPiped<Stdio['stderr'], Readable>;
  readonly control: WhenPiped<AskedControl<Stdio>, Duplex>;
  readonly collected: CollectedReaders<Stdio>;
  lines(stream: CollectedName<Stdio>, options?: LinesOptions): AsyncGenerator<SubprocessLine, void, undefined>;
}
