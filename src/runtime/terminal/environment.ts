import type { EnvironmentOverrides } from '../../seam/environment.js';
import type { SubprocessTerminalSpawnSpec } from '../../seam/terminal.js';

/** What the host's own terminal is like. Programs believe these more than the terminal that they are on. */
const OF_ANOTHER_TERMINAL: EnvironmentOverrides = { COLUMNS: undefined, LINES: undefined, TERMCAP: undefined };

/** What is set over the scrubbed environment of the host for a program on a terminal; `cwd` is absolute. */
export function terminalVariables({ env, terminalType }: Pick<SubprocessTerminalSpawnSpec, 'env' | 'terminalType'>, cwd: string): EnvironmentOverrides {
  return { ...OF_ANOTHER_TERMINAL, ...env, TERM: terminalType, PWD: cwd };
}
