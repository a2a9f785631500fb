import { userInfo } from 'node:os';
import type { TerminalEnvironment } from '../seam/facts.js';

/**
 * Platform and shell, read at the call. POSIX: SHELL, else the account's shell; a user database that fails rejects with
 * its error. Windows: ComSpec. Rejects with the signal's reason, before the database is asked.
 */
export async function terminalEnvironment(signal?: AbortSignal): Promise<TerminalEnvironment> {
  signal?.throwIfAborted();
  const windows = process.platform === 'win32';
  const shell = windows ? process.env.ComSpec : process.env.SHELL || userInfo().shell;
  const platform = windows ? 'windows' : 'posix';
  return shell ? { platform, defaultShell: shell } : { platform };
}
