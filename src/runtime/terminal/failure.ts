import { SubprocessError } from '../../seam/errors.js';

/** Something was asked of a terminal whose top-level process is gone. */
export function exitedError(): SubprocessError {
  return new SubprocessError('terminal process has exited', { code: 'TERMINAL_EXITED', stage: 'terminal' });
}

export function noForegroundError(pid: number): SubprocessError {
  return new SubprocessError(`cannot resolve foreground process group for terminal ${pid}`, { code: 'NO_FOREGROUND', stage: 'terminal' });
}

export function shellInForegroundError(): SubprocessError {
  return new SubprocessError('refusing to SIGKILL the terminal shell; terminate the terminal session instead', { code: 'SHELL_IN_FOREGROUND', stage: 'terminal' });
}

/** Members that live on after their KILL. `pids` is empty when they cannot be listed. */
export function cleanupError(pids: readonly number[]): SubprocessError {
  const who = pids.length === 0 ? 'members that cannot be listed' : `surviving pid${pids.length === 1 ? '' : 's'}: ${pids.join(', ')}`;
  return new SubprocessError(`terminal cleanup failed; ${who}`, { code: 'CLEANUP_FAILED', stage: 'terminal' });
}
