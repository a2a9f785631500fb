import { signalExitCode } from './exit-code.js';

// Windows has a key of its own beside Ctrl-C, and tells of a closed window as SIGHUP.
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', ...(process.platform === 'win32' ? (['SIGBREAK'] as const) : [])];

/** The signals that end a run. */
export interface Interrupts {
  /** The first signal that came. */
  readonly received: () => NodeJS.Signals | undefined;
  readonly stop: () => void;
}

/**
 * The first signal asks for the end of the range. A second one does not wait for anybody: the exit of this process kills
 * everything that it owns, without grace (the runtime's own exit hook, and behind it the end of file that the warden sees).
 */
export function onInterrupt(first: (signal: NodeJS.Signals) => void, second: () => void): Interrupts {
  let received: NodeJS.Signals | undefined;
  const listener = (signal: NodeJS.Signals): void => {
    if (received === undefined) {
      received = signal;
      first(signal);
      return;
    }
    second();
    process.exit(signalExitCode(signal));
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return {
    received: () => received,
    stop: () => {
      for (const signal of SIGNALS) process.off(signal, listener);
    },
  };
}
