import { accessSync, constants, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalSubprocessRuntime, SubprocessTerminalHandle, SubprocessTerminalSpawnSpec, TerminalActivity } from './holdfast.ts';
import { waitUntil } from './until.ts';

export type ShellName = 'bash' | 'zsh';

/** The shells whose activity can be told, as far as this machine has them; bash is asked for everywhere. */
export const SHELLS: readonly ShellName[] = (['bash', 'zsh'] as const).filter((name) => name === 'bash' || isProgram(`/usr/bin/${name}`));

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** An interactive program on a terminal, as a test types at it. */
export interface Session {
  readonly terminal: SubprocessTerminalHandle;
  /** Everything that has come so far. */
  readonly screen: () => string;
  /** Types a line and Enter. */
  readonly enter: (line: string) => Promise<void>;
  /** Waits until the screen has `text` behind what it had at the last call. */
  readonly shows: (text: string | RegExp) => Promise<string>;
  readonly activity: () => Promise<TerminalActivity>;
  /** Waits for a state. */
  readonly becomes: (state: TerminalActivity['state']) => Promise<TerminalActivity>;
}

export type SessionOptions = Partial<SubprocessTerminalSpawnSpec>;

export async function openSession(runtime: LocalSubprocessRuntime, argv: readonly string[], cwd: string, options: SessionOptions = {}): Promise<Session> {
  const terminal = await runtime.spawnTerminal({ argv, cwd, rows: 24, cols: 120, terminalType: 'xterm', graceMs: 500, ...options });
  let screen = '';
  let read = 0;
  terminal.output.setEncoding('utf8').on('data', (text: string) => { screen += text; });
  const shows = (text: string | RegExp): Promise<string> =>
    waitUntil(`${String(text)} on the screen`, () => {
      const found = new RegExp(typeof text === 'string' ? text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : text).exec(screen.slice(read));
      if (found === null) return undefined;
      read += found.index + found[0].length;
      return found[1] ?? found[0];
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}; the screen is ${JSON.stringify(screen.slice(read))}`);
    });
  const activity = (): Promise<TerminalActivity> => terminal.inspectActivity();
  const becomes = async (state: TerminalActivity['state']): Promise<TerminalActivity> => {
    let last: TerminalActivity | undefined;
    return waitUntil(`the state ${state}`, async () => ((last = await activity()).state === state ? last : undefined)).catch((error: unknown) => {
      throw new Error(`${String(error)}; it is ${JSON.stringify(last)}, the screen ${JSON.stringify(screen.slice(-400))}`);
    });
  };
  return { terminal, screen: () => screen, enter: (line) => terminal.write(`${line}\r`), shows, activity, becomes };
}

/** A home directory with start-up files of its own. */
export function makeHome(parent: string, files: Readonly<Record<string, string>>): string {
  const home = mkdtempSync(join(parent, 'home-'));
  // Without one, zsh greets a new user with questions.
  for (const [name, text] of Object.entries({ '.bashrc': '', '.zshrc': '', ...files })) {
    mkdirSync(join(home, name, '..'), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  return home;
}

/** `bash -i` or `zsh -i` with `rc` as the user's own start-up file, watched. */
export function openShell(runtime: LocalSubprocessRuntime, shell: ShellName, home: string, options: SessionOptions = {}): Promise<Session> {
  return openSession(runtime, [`/usr/bin/${shell}`, '-i'], home, { shellActivity: true, ...options, env: { HOME: home, ZDOTDIR: undefined, PROMPT_COMMAND: undefined, ...options.env } });
}
