import { SubprocessError } from '../../seam/errors.js';
import type { TerminalSignal } from '../../seam/terminal.js';
import type { Range } from '../range.js';

/** Windows has no signals to stop a program or to hang up on it. */
function unsupportedError(signal: TerminalSignal): SubprocessError {
  return new SubprocessError(`${signal} is unsupported on Windows; only SIGINT, SIGTERM, and SIGKILL are available`, { code: 'ENOSYS', syscall: 'signal', stage: 'terminal' });
}

/**
 * What is asked of the range as a whole, because no group can be told from it: SIGTERM and SIGKILL end the terminal's Job.
 * True when that was all; false for SIGINT, which is typed as Ctrl-C.
 */
export function endForSignal(range: Range, signal: TerminalSignal): boolean {
  if (signal === 'SIGTSTP' || signal === 'SIGHUP') throw unsupportedError(signal);
  if (signal === 'SIGTERM') range.terminate();
  if (signal === 'SIGKILL') range.kill();
  return signal !== 'SIGINT';
}
