import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import type { NativeForeground } from '../../binding.js';
import type { SubprocessInspection, SubprocessOutcome, SubprocessReport } from '../../seam/facts.js';
import type { SubprocessTerminalHandle, TerminalActivity, TerminalForeground, TerminalSignal } from '../../seam/terminal.js';
import { systemError } from '../failure.js';
import { reportOf } from '../handle.js';
import type { Range } from '../range.js';
import type { ActivityObserver, PreparedActivity } from './activity.js';
import { checkSide } from './check-spec.js';
import { exitedError, noForegroundError, shellInForegroundError } from './failure.js';
import { TerminalInput } from './input.js';
import { openTerminalOutput } from './output.js';
import { checkTerminalSignal, endRange, retrying } from './termination.js';
import { endForSignal } from './windows.js';

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
    this.terminate = retrying((again) => endRange(range, options.graceMs, again).then(activity.close));
    this.report = () => reportOf(range);
    this.inspect = async () => ({ members: await range.inspect() });
    endWithShell(range, activity, options);
  }
}

/** The two directions of a terminal, which have to know about facts from the first one on. */
export class TerminalStreams {
  readonly output: Readable;
  readonly input: TerminalInput;

  constructor(range: Range) {
    const { stream, grew } = openTerminalOutput(range.native);
    this.output = stream;
    this.input = new TerminalInput(range.native);
    range.observers.push({
      grew,
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
  if (code !== undefined) throw systemError(code, process.platform === 'win32' ? 'ResizePseudoConsole' : 'ioctl TIOCSWINSZ', '', 'terminal');
}

function foregroundOf(range: Range): Promise<NativeForeground | undefined> {
  return range.settled ? Promise.resolve(undefined) : range.whileHeld(() => range.native.foreground());
}

async function signalForeground(range: Range, pid: number, observer: ActivityObserver, signal: TerminalSignal): Promise<number> {
  checkTerminalSignal(signal);
  if (range.settled) throw noForegroundError(pid);
  observer.disturbed();
  if (process.platform === 'win32' && endForSignal(range, signal)) return pid;
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
