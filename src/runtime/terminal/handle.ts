import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import type { NativeForeground } from '../../binding.js';
import { wrongValue } from '../../seam/errors.js';
import type { SubprocessInspection, SubprocessOutcome, SubprocessReport } from '../../seam/facts.js';
import { MAX_TIMER_DELAY_MS } from '../../seam/limits.js';
import type { SubprocessTerminalHandle, TerminalActivity, TerminalForeground, TerminalSignal } from '../../seam/terminal.js';
import { systemError } from '../failure.js';
import { reportOf } from '../handle.js';
import type { Range } from '../range.js';
import type { ActivityObserver, PreparedActivity } from './activity.js';
import { checkSide } from './check-spec.js';
import { cleanupError, exitedError, noForegroundError, shellInForegroundError } from './failure.js';
import { TerminalInput } from './input.js';
import { TerminalOutput } from './output.js';

const SIGNALS: readonly TerminalSignal[] = ['SIGINT', 'SIGTERM', 'SIGKILL', 'SIGTSTP', 'SIGHUP'];

/** How long members may take to end after their KILL: they hang in the kernel, or the machine is very busy. */
const KILL_PATIENCE_MS = 5000;

export interface TerminalOptions {
  readonly graceMs: number;
  readonly shellActivity: boolean;
}

/** The terminal of a range whose launch is known. Everything is an own property and no method needs `this`. */
export class TerminalHandle implements SubprocessTerminalHandle {
  readonly pid: number;
  readonly output: Readable;
  readonly done: Promise<SubprocessOutcome>;
  readonly write: (text: string) => Promise<void>;
  readonly resize: (cols: number, rows: number) => Promise<void>;
  readonly inspectForeground: () => Promise<TerminalForeground | undefined>;
  readonly inspectActivity: () => Promise<TerminalActivity>;
  readonly signalForeground: (signal: TerminalSignal) => Promise<number>;
  readonly terminate: () => Promise<void>;
  readonly report: () => SubprocessReport;
  readonly inspect: () => Promise<SubprocessInspection>;
  readonly [Symbol.asyncDispose]: () => Promise<void> = () => this.terminate();

  constructor(range: Range, streams: TerminalStreams, activity: PreparedActivity, options: TerminalOptions) {
    const pid = range.pid > 0 ? range.pid : (range.native.report().pid ?? -1);
    const foreground = (): Promise<NativeForeground | undefined> => foregroundOf(range);
    const observer = activity.observe({ pid, foreground, exited: () => range.settled, empty: () => range.empty, members: () => range.inspect() });
    this.pid = pid;
    this.output = streams.output;
    this.done = range.done;
    this.write = (text) => {
      observer.disturbed();
      return streams.input.write(text);
    };
    this.resize = async (cols, rows) => resize(range, cols, rows);
    this.inspectForeground = async () => {
      const found = await foreground();
      return found === undefined ? undefined : { processGroupId: found.processGroupId, inputWaiting: found.inputWait === 'yes' };
    };
    this.inspectActivity = () => observer.inspect();
    this.signalForeground = (signal) => signalForeground(range, pid, observer, signal);
    this.terminate = termination(range, activity, options.graceMs);
    this.report = () => reportOf(range);
    this.inspect = async () => ({ members: await range.inspect() });
    endWithShell(range, activity, options);
  }
}

/** The two directions of a terminal, which have to know about facts from the first one on. */
export class TerminalStreams {
  readonly output: TerminalOutput;
  readonly input: TerminalInput;

  constructor(range: Range) {
    this.output = new TerminalOutput(range.native);
    this.input = new TerminalInput(range.native);
    range.observers.push({
      grew: () => this.output.grew(),
      wrote: (_, total, code) => this.input.wrote(total, code),
      settled: () => this.input.end(),
      over: () => this.input.end(),
    });
  }
}

/** Without `shellActivity`, nothing of a terminal outlives its top-level process. */
function endWithShell(range: Range, activity: PreparedActivity, { shellActivity }: TerminalOptions): void {
  const close = (): void => void activity.close();
  if (range.over) close();
  else range.observers.push({ over: close });
  if (shellActivity) return;
  if (range.settled) range.terminate();
  else range.observers.push({ settled: () => range.terminate() });
}

function resize(range: Range, cols: number, rows: number): void {
  checkSide('cols', cols);
  checkSide('rows', rows);
  if (range.settled) throw exitedError();
  const code = range.native.resize(rows, cols);
  if (code === 'EBADF') throw exitedError();
  if (code !== undefined) throw systemError(code, 'ioctl TIOCSWINSZ', '', 'terminal');
}

function foregroundOf(range: Range): Promise<NativeForeground | undefined> {
  return range.settled ? Promise.resolve(undefined) : range.whileHeld(() => range.native.foreground());
}

async function signalForeground(range: Range, pid: number, observer: ActivityObserver, signal: TerminalSignal): Promise<number> {
  if (!SIGNALS.includes(signal)) throw wrongValue(`The argument 'signal' must be one of ${SIGNALS.join(', ')}`);
  if (range.settled) throw noForegroundError(pid);
  observer.disturbed();
  const answer = await range.whileHeld(() => range.native.signalForeground(constants.signals[signal]));
  switch (answer.result) {
    case 'sent':
      return answer.processGroupId;
    case 'nobody':
      throw noForegroundError(pid);
    case 'shell':
      throw shellInForegroundError();
    case 'failed':
      throw systemError(answer.code, answer.syscall, '', 'terminal');
  }
}

/** The same promise for everybody, until an attempt fails: then the next call tries again. */
function termination(range: Range, activity: PreparedActivity, graceMs: number): () => Promise<void> {
  let ending: Promise<void> | undefined;
  let failed = false;
  return () => {
    ending ??= end(range, graceMs, failed).then(activity.close).catch((error: unknown) => {
      ending = undefined;
      failed = true;
      throw error;
    });
    return ending;
  };
}

async function end(range: Range, graceMs: number, again: boolean): Promise<void> {
  range.terminate();
  if (again) range.kill();
  const stop = new AbortController();
  const patience = Math.min(graceMs + Math.max(graceMs, KILL_PATIENCE_MS), MAX_TIMER_DELAY_MS);
  try {
    const late = delay(patience, false, { signal: stop.signal, ref: false });
    late.catch(() => {});
    const empty = await Promise.race([range.waitForExit(stop.signal), late]);
    if (!empty) throw cleanupError((await range.inspect()).map((one) => one.pid));
  } finally {
    stop.abort();
  }
  // A launch that failed has been told already, and a lost exit status is the matter of `done`.
  await range.done.catch(() => {});
}
