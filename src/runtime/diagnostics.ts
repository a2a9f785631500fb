import { channel } from 'node:diagnostics_channel';
import type { OwnerKind } from '../binding.js';
import type { SubprocessError } from '../seam/errors.js';
import type { SubprocessOutcome, SubprocessReport } from '../seam/facts.js';
import type { Range, RangeObserver } from './range.js';

/** What a runtime may publish beside plain facts; nothing of it by default, because an argument may be a credential. */
export interface DiagnosticsDetail {
  /** Program and arguments, in `holdfast:spawn` and `holdfast:terminal`. */
  readonly argv?: boolean | undefined;
  /** The `env` of the specification, values too, in the same events. */
  readonly env?: boolean | undefined;
}

/** The error itself stays with the caller: it has the arguments. */
interface FailureFacts {
  readonly code: SubprocessError['code'];
  readonly stage?: NonNullable<SubprocessError['stage']>;
}

interface Start {
  /** The same in all events of one command; unique in this process. */
  readonly id: number;
  readonly cwd: string;
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Message of each channel of `node:diagnostics_channel`, by the channel's name. */
export interface HoldfastEvents {
  /** A command was handed over to be started. */
  readonly 'holdfast:spawn': Start;
  /** A terminal was, which has no `holdfast:spawn`. Not from the `node-pty` backend. */
  readonly 'holdfast:terminal': Start & { readonly rows: number; readonly cols: number };
  /** It runs, and who holds it. */
  readonly 'holdfast:owner': { readonly id: number; readonly pid: number; readonly owner: OwnerKind | null };
  /** `terminate()` was called for the first time, by the caller, a signal or the disposal. */
  readonly 'holdfast:terminate': { readonly id: number };
  /** `done` has settled: with `error` it has rejected, and nothing may have run. */
  readonly 'holdfast:exit': ({ readonly outcome: SubprocessOutcome; readonly error?: never } | { readonly outcome?: never; readonly error: FailureFacts }) & {
    readonly id: number;
    /** Since the spawn. */
    readonly elapsedMs: number;
    readonly usage?: NonNullable<SubprocessReport['usage']>;
  };
  /** Right after it: whether the collected output is complete, and how much there was. */
  readonly 'holdfast:drain': { readonly id: number; readonly drain: SubprocessReport['drain']; readonly streams: SubprocessReport['streams'] };
  /** Right after it, for each stream that had a spill file or should have had one. */
  readonly 'holdfast:spill': { readonly id: number; readonly stream: 'stdout' | 'stderr' } & NonNullable<SubprocessReport['streams']['stdout']>;
  /** Nothing of it is left, or with `error` nobody can tell. */
  readonly 'holdfast:empty': {
    readonly id: number;
    readonly proof: SubprocessReport['proof'];
    /** How many members beyond the command had to be ended, and how many were found outside their owner. */
    readonly strays: number;
    readonly escaped: number;
    readonly error?: FailureFacts;
  };
}

type EventName = keyof HoldfastEvents;

/** The names of all channels. */
export const HOLDFAST_EVENTS: readonly EventName[] = [
  'holdfast:spawn', 'holdfast:terminal', 'holdfast:owner', 'holdfast:terminate', 'holdfast:exit', 'holdfast:drain', 'holdfast:spill', 'holdfast:empty',
];

/** Held for good: a channel without any other reference is collected as garbage, its subscribers with it. */
const channels = new Map(HOLDFAST_EVENTS.map((name) => [name, channel(name)]));
const list = [...channels.values()];

/** A subscriber that throws is Node's to report (`uncaughtException`, later); it cannot disturb other ranges. */
function publish<Name extends EventName>(name: Name, message: HoldfastEvents[Name]): void {
  channels.get(name)?.publish(message);
}

/** Whether anybody listens. Asked once a spawn: a command is traced from its start or not at all. */
export function isTraced(): boolean {
  return list.some((each) => each.hasSubscribers);
}

let lastId = 0;

interface Named {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Publishes what happens to a range from now on. `reportOf` gives its report. Call it only when {@link isTraced}. */
export function trace(range: Range, names: Named, detail: DiagnosticsDetail, reportOf: (range: Range) => SubprocessReport, terminal?: { rows: number; cols: number }): void {
  const id = ++lastId;
  const started = performance.now();
  const start: Start = {
    id,
    cwd: names.cwd,
    ...(detail.argv === true ? { argv: [...names.argv] } : {}),
    ...(detail.env === true ? { env: { ...names.env } } : {}),
  };
  if (terminal === undefined) publish('holdfast:spawn', start);
  else publish('holdfast:terminal', { ...start, rows: terminal.rows, cols: terminal.cols });
  range.observers.push(observerOf(id, started, reportOf));
}

function observerOf(id: number, started: number, reportOf: (range: Range) => SubprocessReport): RangeObserver {
  const exit = (range: Range): void => {
    const { usage } = reportOf(range);
    const facts = { id, elapsedMs: performance.now() - started, ...(usage === undefined ? {} : { usage }) };
    if (range.outcome !== undefined) publish('holdfast:exit', { ...facts, outcome: range.outcome });
    else if (range.failure !== undefined) publish('holdfast:exit', { ...facts, error: failureFacts(range.failure) });
  };
  let settled = false;
  return {
    launched: (range) => publish('holdfast:owner', { id, pid: range.pid, owner: reportOf(range).owner }),
    terminating: () => publish('holdfast:terminate', { id }),
    launchFailed: exit,
    settled: (range) => {
      // A loss after the exit tells it once more.
      if (settled) return;
      settled = true;
      exit(range);
      const { drain, streams } = reportOf(range);
      publish('holdfast:drain', { id, drain, streams });
      for (const stream of ['stdout', 'stderr'] as const) {
        const facts = streams[stream];
        if (facts !== undefined && facts.spill !== 'none') publish('holdfast:spill', { id, stream, ...facts });
      }
    },
    over: (range) => {
      const { proof, strays, escaped } = reportOf(range);
      publish('holdfast:empty', { id, proof, strays: strays.count, escaped: escaped.count, ...(range.lost === undefined || range.empty ? {} : { error: failureFacts(range.lost) }) });
    },
  };
}

function failureFacts({ code, stage }: SubprocessError): FailureFacts {
  return { code, ...(stage === undefined ? {} : { stage }) };
}
