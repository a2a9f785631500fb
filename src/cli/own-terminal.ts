import type { ReadStream, WriteStream } from 'node:tty';
import { loadBinding } from '../native.js';

/** The user's terminal while it shows another one. */
export interface OwnTerminal {
  /** Characters; a terminal that does not know its size counts as 80 by 24. */
  readonly size: () => { cols: number; rows: number };
  /** Gives the terminal back as it was found; idempotent. */
  readonly restore: () => void;
}

/**
 * Takes the terminal into raw mode: each key goes to the program as it is, Ctrl-C too, and what the program writes comes out
 * unchanged. Node's own raw mode leaves the translation of line ends on, which turns a cursor that shall go down into one
 * that goes down and to the left.
 *
 * The terminal is given back by `restore`, and at the exit of this process whatever the reason; before a stop (SIGTSTP from
 * another process: Ctrl-Z itself goes to the program) as well, and taken again when it is continued.
 *
 * @throws Error when the terminal cannot be switched.
 */
export function takeTerminal(input: ReadStream, output: WriteStream, onContinue: () => void): OwnTerminal {
  const { binding } = loadBinding();
  const fd = (input as unknown as { fd: number }).fd;
  const take = (): Uint8Array => {
    const before = binding.rawMode(fd);
    if (typeof before === 'string') throw new Error(`the terminal cannot be switched to raw mode: ${before}`);
    return before;
  };
  let saved: Uint8Array | undefined = take();
  const giveBack = (): void => {
    if (saved !== undefined) binding.restoreMode(fd, saved); // fails only when the terminal is gone
    saved = undefined;
  };
  const stop = (): void => {
    giveBack();
    process.kill(process.pid, 'SIGSTOP');
  };
  const proceed = (): void => {
    saved ??= take();
    onContinue();
  };
  process.on('SIGTSTP', stop);
  process.on('SIGCONT', proceed);
  process.on('exit', giveBack);
  return {
    size: () => ({ cols: output.columns || 80, rows: output.rows || 24 }),
    restore: () => {
      giveBack();
      process.off('SIGTSTP', stop);
      process.off('SIGCONT', proceed);
      process.off('exit', giveBack);
    },
  };
}
