import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { EnvironmentOverrides } from '../../../seam/environment.js';
import { BASH_RC } from './bash.js';
import { parseRecord, RECORD_BYTES, type ShellRecord } from './record.js';
import { ZSHENV } from './zsh.js';

/** Names our directory to the shell of the terminal; the shell unsets it before it reads anything of the user's. */
export const SHELL_VARIABLE = '__HOLDFAST_SHELL';

type Environment = EnvironmentOverrides;

/** How a shell is started so that it reads our hooks. */
interface Integration {
  readonly file: { readonly name: string; readonly text: string };
  readonly start: (argv: readonly string[], env: Environment, directory: string) => { argv: readonly string[]; env: Environment };
}

const BASH: Integration = {
  file: { name: 'bashrc', text: BASH_RC },
  start: ([shell = '', ...rest], env, directory) => ({ argv: [shell, '--rcfile', join(directory, 'bashrc'), ...rest], env: { ...env, [SHELL_VARIABLE]: directory } }),
};

const ZSH: Integration = {
  file: { name: '.zshenv', text: ZSHENV },
  start: (argv, env, directory) => {
    const own = 'ZDOTDIR' in env ? env['ZDOTDIR'] : process.env['ZDOTDIR'];
    const back = own === undefined ? {} : { __HOLDFAST_ZDOTDIR: own };
    return { argv, env: { ...env, ...back, ZDOTDIR: directory, [SHELL_VARIABLE]: directory } };
  },
};

/** Only for exactly `bash -i` and `zsh -i`, by any path: with other words a shell may read other files, or none. */
export function integrationFor(argv: readonly string[]): Integration | undefined {
  if (argv.length !== 2 || argv[1] !== '-i' || process.platform === 'win32') return undefined;
  const name = basename(argv[0] as string);
  return name === 'bash' ? BASH : name === 'zsh' ? ZSH : undefined;
}

/** The private directory of one shell: its start-up file, and the record that its hooks write. */
export interface ShellFiles {
  readonly directory: string;
  readonly argv: readonly string[];
  readonly env: Environment;
  /** The last record. Synchronous, because it has to be from before the input that is handed over next: 29 bytes of a file just written. */
  readonly record: () => ShellRecord | undefined;
  /** Closes and removes everything; idempotent. Rejects when something cannot be removed. */
  readonly remove: () => Promise<void>;
  /** The same without waiting, for the exit of the host; never throws. */
  readonly removeNow: () => void;
}

/**
 * Makes the directory (0700, an unguessable name below `parent`) and its files (0600). Rejects with the error of the
 * file system, after taking back what was made.
 */
export async function makeShellFiles(integration: Integration, argv: readonly string[], env: Environment, parent: string, prefix: string): Promise<ShellFiles> {
  const directory = await mkdtemp(join(parent, `${prefix}shell-`));
  let fd: number;
  try {
    const create = { flag: 'wx', mode: 0o600 };
    await writeFile(join(directory, integration.file.name), integration.file.text, create);
    // Its blocks exist from the beginning, so that the hooks can write on a full disk.
    await writeFile(join(directory, 'record'), `${' '.repeat(RECORD_BYTES - 1)}\n`, create);
    fd = openSync(join(directory, 'record'), 'r');
  } catch (error) {
    await rm(directory, { recursive: true, force: true }).catch(() => {}); // the first error is the one to tell
    throw error;
  }
  let open = true;
  const close = (): void => {
    if (open) closeSync(fd);
    open = false;
  };
  return {
    directory,
    ...integration.start(argv, env, directory),
    record: () => (open ? readRecord(fd) : undefined),
    remove: async () => {
      close();
      await rm(directory, { recursive: true, force: true });
    },
    removeNow: () => {
      try {
        close();
        rmSync(directory, { recursive: true, force: true });
      } catch {
        // The host ends; a leftover of a few kilobytes in the temp directory is not worth its exit code.
      }
    },
  };
}

/** Twice, until both are the same: a read may meet a write in the middle. */
function readRecord(fd: number): ShellRecord | undefined {
  const buffer = Buffer.alloc(RECORD_BYTES);
  let before: string | undefined;
  for (let tries = 0; tries < 4; tries++) {
    const text = buffer.toString('latin1', 0, readSync(fd, buffer, 0, RECORD_BYTES, 0));
    if (text === before) return parseRecord(text);
    before = text;
  }
  return undefined;
}
