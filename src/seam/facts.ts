import type { NativeMember, NativeReport, NativeStreamReport, OwnerKind } from '../binding.js';

export type { OwnerKind, SpillState } from '../binding.js';

/** How the direct command ended. Both are null after death by a signal without a name (`kill -35`). */
export interface SubprocessOutcome {
  readonly exitCode: number | null;
  /** Such as `SIGTERM`. */
  readonly signal: NodeJS.Signals | null;
}

/** What a collected stream has seen so far. */
export type SubprocessStreamReport = Readonly<NativeStreamReport>;

/** A live process of a range. `startTime` is in clock ticks after boot; with `pid` it identifies a process for good. */
export type SubprocessMember = Readonly<NativeMember>;

/** Everything that is known about a range at one moment; see `handle.report()`. */
export interface SubprocessReport {
  readonly launch: NativeReport['launch'];
  /** null until the launch is known, and after a failed one. */
  readonly pid: number | null;
  readonly owner: OwnerKind | null;
  /** `proven`: the owner cannot miss a member. `observed`: nothing was seen any more. */
  readonly proof: NativeReport['proof'];
  /** Why `done` settled when it did: the streams ended, or `graceMs` after the exit had passed. */
  readonly drain: NativeReport['drain'];
  /**
   * On Windows, once terminate() has been answered: `sent` where Ctrl-C reached a console of the range, and `graceMs` was
   * given; `unavailable` where there was none, and the range was ended at once. Absent elsewhere: TERM reaches every member.
   */
  readonly politeStage?: NonNullable<NativeReport['politeStage']>;
  /** Collected streams only. */
  readonly streams: { readonly stdout?: SubprocessStreamReport; readonly stderr?: SubprocessStreamReport };
  /** Members beyond the command that had to be ended; at most 32 are listed. */
  readonly strays: NativeReport['strays'];
  /** Members that were found outside their owner; at most 32 are listed. */
  readonly escaped: NativeReport['escaped'];
  /** The command and what it waited for. */
  readonly usage?: NonNullable<NativeReport['usage']>;
  /**
   * With limits, from the exit of the command on: members that the kernel ended because the range had no memory left, most
   * memory at one time (absent before Linux 5.19, and without a limit of memory), and the time that members were kept from
   * a processor, in milliseconds and of all processors together.
   */
  readonly limits?: NonNullable<NativeReport['limits']>;
  /** The owner's accounting of the whole range, where it has any. */
  readonly rangeUsage?: NonNullable<NativeReport['rangeUsage']>;
}

/** Live members of a range; see `handle.inspect()`. */
export interface SubprocessInspection {
  readonly members: readonly SubprocessMember[];
}

/** What this host can do; see `runtime.diagnose()`. */
export interface SubprocessDiagnosis {
  /** Each owner kind, what emptiness means under it, and why it cannot be used (or, if it can, why `auto` passes it over). */
  readonly owners: readonly { readonly kind: OwnerKind; readonly available: boolean; readonly reason?: string; readonly proof: 'proven' | 'observed' }[];
  /** What `ownership: 'auto'` takes. */
  readonly chosen: OwnerKind;
  readonly binary: { readonly path: string; readonly napi: number; readonly libc?: 'glibc' | 'musl' };
  readonly warden: { readonly from: 'override' | 'package' | 'memory' | 'directory' | 'none'; readonly path?: string; readonly pid?: number };
  readonly kernel: Readonly<Record<string, boolean>>;
  readonly limits: Readonly<Record<string, number>>;
}

/** Where terminals and shells would run. */
export interface TerminalEnvironment {
  readonly platform: 'posix' | 'windows';
  /** Absent when none could be found. */
  readonly defaultShell?: string;
}
