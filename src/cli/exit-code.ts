import { constants } from 'node:os';

/** Exit codes of our own, as env(1) and timeout(1) have them. */
export const EXIT_TIMEOUT = 124;
export const EXIT_OWN_ERROR = 125;
export const EXIT_CANNOT_RUN = 126;
export const EXIT_NOT_FOUND = 127;

/** 128 + n, as shells report it. */
export function signalExitCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** Exit code of a command that has run. Neither a code nor a name means a signal without a name (a real-time one). */
export function outcomeExitCode(outcome: { readonly exitCode: number | null; readonly signal: NodeJS.Signals | null }): number {
  if (outcome.exitCode !== null) return outcome.exitCode;
  return outcome.signal === null ? 128 : signalExitCode(outcome.signal);
}

const CANNOT_RUN = new Set(['EACCES', 'EPERM', 'ENOEXEC', 'EISDIR', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ETXTBSY', 'E2BIG', 'ELIBBAD']);

/**
 * Exit code for an error of the launch. A missing working directory has the code ENOENT as well, but it is not the
 * command that was not found: only errors of the program itself (syscall `spawn …`) count.
 */
export function launchErrorExitCode(error: unknown): number {
  if (!(error instanceof Error)) return EXIT_OWN_ERROR;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined || !syscall.startsWith('spawn')) return EXIT_OWN_ERROR;
  if (code === 'ENOENT') return EXIT_NOT_FOUND;
  return CANNOT_RUN.has(code) ? EXIT_CANNOT_RUN : EXIT_OWN_ERROR;
}
