import type { SubprocessHandle, TypedSubprocessHandle } from '../seam/handle.js';
import type { SubprocessStdio } from '../seam/spec.js';
import type { SubprocessTerminalHandle, TerminalSignal } from '../seam/terminal.js';

/** A handle as harnesses know it; what this package adds to it is there and is not enumerable. */
export type HarnessHandle<Stdio extends SubprocessStdio> = Omit<TypedSubprocessHandle<Stdio>, 'pid'>;

/**
 * The handle with exactly the enumerable keys of the seam, because consumers copy, compare and print handles. With
 * `pid` for seams that have it: not enumerable, since reading it may wait for the launch, which copying must not do.
 */
export function harnessHandle<Stdio extends SubprocessStdio>(handle: TypedSubprocessHandle<Stdio>, hasPid: boolean): HarnessHandle<Stdio> {
  const { stdin, stdout, stderr, control, collected, done, terminate, waitForExit, report, inspect, lines } = handle;
  const shown = { stdin, stdout, stderr, control, collected, done, terminate, waitForExit };
  const beside: PropertyDescriptorMap & ThisType<SubprocessHandle> = {
    report: { value: report },
    inspect: { value: inspect },
    lines: { value: lines },
    [Symbol.asyncDispose]: { value: () => handle[Symbol.asyncDispose]() },
  };
  if (hasPid) beside.pid = { get: () => handle.pid };
  return Object.defineProperties(shown, beside) as HarnessHandle<Stdio>;
}

/** A terminal's handle as harnesses know it; what this package adds to it is there and is not enumerable. */
export type HarnessTerminalHandle = SubprocessTerminalHandle;

/** The same for a terminal. */
export function harnessTerminal(terminal: SubprocessTerminalHandle): HarnessTerminalHandle {
  const { pid, output, done } = terminal;
  const shown = {
    pid,
    output,
    done,
    write: (text: string) => terminal.write(text),
    resize: (cols: number, rows: number) => terminal.resize(cols, rows),
    inspectForeground: () => terminal.inspectForeground(),
    inspectActivity: () => terminal.inspectActivity(),
    signalForeground: (signal: TerminalSignal) => terminal.signalForeground(signal),
    terminate: () => terminal.terminate(),
  };
  return Object.defineProperties(shown, {
    report: { value: () => terminal.report() },
    inspect: { value: () => terminal.inspect() },
    [Symbol.asyncDispose]: { value: () => terminal[Symbol.asyncDispose]() },
  }) as HarnessTerminalHandle;
}
