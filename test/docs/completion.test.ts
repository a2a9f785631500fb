import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { waitUntil } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();
afterAll(() => runtime.dispose());

/** A shell without the user's habits, and the line that makes it learn the script in `folder`. */
const shells = {
  bash: { argv: ['bash', '--norc', '--noprofile', '-i'], file: 'holdfast', learn: (folder: string) => `source ${folder}/holdfast` },
  zsh: { argv: ['zsh', '-f', '-i'], file: '_holdfast', learn: (folder: string) => `fpath=(${folder} $fpath); autoload -Uz compinit; compinit -u -D` },
};

const missing = async (shell: string): Promise<string | undefined> => runtime.resolveExecutable(shell).then(() => undefined, () => `skipped: no ${shell} on PATH`);
const plain = (text: string): string => text.replace(/\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x07/g, '');

/** What the shell makes of each line whose end is a Tab, on a terminal as a user has it. */
async function completed(shell: keyof typeof shells, lines: readonly string[]): Promise<string[]> {
  const { argv, file, learn } = shells[shell];
  const { stdout } = await cli(['completion', shell]);
  writeFileSync(join(fence.directory, file), stdout);
  const env = { PS1: 'ready> ', HISTFILE: undefined, HOME: fence.directory, ZDOTDIR: fence.directory, INPUTRC: '/dev/null' };
  const terminal = await runtime.spawnTerminal({ argv, cwd: fence.directory, env, rows: 50, cols: 200, terminalType: 'xterm', graceMs: 500 });
  let shown = '';
  terminal.output.on('data', (bytes: Buffer) => { shown += bytes.toString(); });
  const type = async (keys: string, answer: RegExp): Promise<string> => {
    const from = shown.length;
    await terminal.write(keys);
    return waitUntil(`${shell} answers ${JSON.stringify(keys)} by ${answer}`, () => answer.exec(plain(shown.slice(from)))?.[0]);
  };
  try {
    await waitUntil('a prompt', () => plain(shown).includes('ready>'));
    await type(`${learn(fence.directory)}; echo "learnt $((40 + 2))"\r`, /learnt 42[^]*ready>/);
    const answers = [];
    // A line is complete when the shell has put the blank behind it; Ctrl-U makes room for the next.
    for (const line of lines) {
      answers.push((await type(`${line}\t`, new RegExp(`${line}\\S* `))).trim());
      await terminal.write('\x15');
    }
    return answers;
  } finally {
    await terminal.terminate();
    rmSync(join(fence.directory, file));
  }
}

describe.each(['bash', 'zsh'] as const)('completion in %s', (shell) => {
  it('completes verbs from the first Tab on, options and owners', async ({ skip }) => {
    const reason = await missing(shell);
    if (reason !== undefined) skip(reason);
    expect(await completed(shell, ['holdfast compl', 'holdfast run --own', 'holdfast run --owner subr', 'holdfast completion zs'])).toEqual([
      'holdfast completion', 'holdfast run --owner', 'holdfast run --owner subreaper', 'holdfast completion zsh',
    ]);
  });
});
