import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll } from 'vitest';
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

/** A login may take seconds on a machine that is busy with other work. */
const PATIENCE_MS = 30_000;

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
  /** Waits until the kernel shows the foreground group waiting for input. */
  readonly waits: () => Promise<void>;
  /** Waits until a member of this name sleeps: what is typed before its exec, Ctrl-C say, would still be for the shell. */
  readonly sleeps: (name: string) => Promise<void>;
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
    }, PATIENCE_MS).catch((error: unknown) => {
      throw new Error(`${String(error)}; the screen is ${JSON.stringify(screen.slice(read))}`);
    });
  const activity = (): Promise<TerminalActivity> => terminal.inspectActivity();
  const becomes = async (state: TerminalActivity['state']): Promise<TerminalActivity> => {
    let last: TerminalActivity | undefined;
    return waitUntil(`the state ${state}`, async () => ((last = await activity()).state === state ? last : undefined), PATIENCE_MS).catch((error: unknown) => {
      throw new Error(`${String(error)}; it is ${JSON.stringify(last)}, the screen ${JSON.stringify(screen.slice(-400))}`);
    });
  };
  const until = async (what: string, fact: () => Promise<boolean | undefined>): Promise<void> => void (await waitUntil(what, fact, PATIENCE_MS));
  return {
    terminal,
    screen: () => screen,
    enter: (line) => terminal.write(`${line}\r`),
    shows,
    activity,
    becomes,
    waits: () => until('a program waits for input', async () => (await terminal.inspectForeground())?.inputWaiting),
    sleeps: (name) => until(`${name} sleeps`, async () => (await terminal.inspect()).members.some((one) => basename(one.argv0) === name && one.state === 'S')),
  };
}

/** Home directories for the tests of the calling file, each with start-up files of its own. Not in the fenced directory. */
export function homes(): (files: Readonly<Record<string, string>>) => string {
  const parent = mkdtempSync(join(tmpdir(), 'holdfast-homes-'));
  afterAll(() => rmSync(parent, { recursive: true, force: true }));
  return (files) => {
    const home = mkdtempSync(join(parent, 'home-'));
    // Without one, zsh greets a new user with questions.
    for (const [name, text] of Object.entries({ '.bashrc': '', '.zshrc': '', ...files })) {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), text);
    }
    return home;
  };
}

/** `bash -i` or `zsh -i` with `rc` as the user's own start-up file, watched. */
export function openShell(runtime: LocalSubprocessRuntime, shell: ShellName, home: string, options: SessionOptions = {}): Promise<Session> {
  return openSession(runtime, [`/usr/bin/${shell}`, '-i'], home, { shellActivity: true, ...options, env: { HOME: home, ZDOTDIR: undefined, PROMPT_COMMAND: undefined, ...options.env } });
}
