import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runNode } from '../support/cli.ts';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { root } from '../support/paths.ts';
import { homes, openShell, type Session, SHELLS, type ShellName } from '../support/shells.ts';
import { waitUntil } from '../support/until.ts';

const fence = leakFence();
const makeHome = homes();
const runtime = new LocalSubprocessRuntime();
const own = (): string[] => readdirSync(fence.directory).filter((name) => name.startsWith('holdfast-shell-'));

/** A shell with these start-up files, at its first prompt. */
async function start(shell: ShellName, files: Record<string, string>, env: Record<string, string> = {}): Promise<Session> {
  const session = await openShell(runtime, shell, makeHome(files), { env });
  await session.becomes('idle');
  return session;
}

/** The same for what is never idle. */
async function startUnknown(shell: ShellName, files: Record<string, string>): Promise<Session> {
  const session = await openShell(runtime, shell, makeHome(files));
  await session.waits();
  for (let i = 0; i < 10; i++) expect((await session.activity()).state).toBe('unknown');
  return session;
}

/** Types a line, and returns what comes between the marks that it prints. */
async function answer(session: Session, line: string): Promise<string> {
  await session.enter(line);
  const found = await session.shows(/<<(.*?)>>/);
  await session.becomes('idle');
  return found;
}

describe.each(SHELLS)('%s with activity', (shell) => {
  const rc = shell === 'bash' ? '.bashrc' : '.zshrc';

  it("reads the user's own start-up file, and has nothing of ours in the environment (264, 265)", async () => {
    const session = await start(shell, { [rc]: 'greeting=hello; alias greet="echo \\"<<$greeting>>\\""\n' });
    expect(await answer(session, 'greet')).toBe('hello');
    expect(await answer(session, `echo "<""<$(env | grep -c __HOLDFAST)>"">"`)).toBe('0');
    expect(await answer(session, `echo "<""<$-:$#>"">"`)).toMatch(/^[^:]*i[^:]*:0$/);
    await session.terminal.terminate();
  });

  it('leaves the exit status and the last argument of each command as they are (264)', async () => {
    const session = await start(shell, {});
    await session.enter('(exit 7)');
    expect(await answer(session, 'echo "<""<$?>"">"')).toBe('7');
    const pipes = shell === 'bash' ? 'PIPESTATUS' : 'pipestatus';
    await session.enter('(exit 3) | (exit 4)');
    expect(await answer(session, `echo "<""<\${${pipes}[*]}>"">"`)).toBe('3 4');
    await session.enter(': first second');
    expect(await answer(session, 'echo "<""<$_>"">"')).toBe('second');
    await session.terminal.terminate();
  });

  it('works under noclobber, nounset and errexit, and with any IFS (264)', async () => {
    const session = await start(shell, { [rc]: shell === 'bash' ? 'set -Cu; IFS=_,\n' : 'set -Cu\n' });
    expect(await answer(session, 'echo "<""<one>"">"')).toBe('one');
    await session.enter('set -e');
    await session.becomes('idle');
    expect(await answer(session, 'echo "<""<two>"">"')).toBe('two');
    expect(session.screen()).not.toMatch(/holdfast|unbound|not found|cannot/);
    await session.terminal.terminate();
  });

  it('is unknown while the user has traps, which may run at the prompt (263)', async () => {
    const session = await start(shell, {});
    const traps = shell === 'bash'
      ? [['trap : USR1', 'trap - USR1'], ['trap : DEBUG', 'trap - DEBUG'], ['trap : EXIT', 'trap - EXIT'], ['trap : ERR', 'trap - ERR']]
      : [['trap : USR1', 'trap - USR1'], ['TRAPUSR1() { :; }', 'unfunction TRAPUSR1'], ['TRAPINT() { return 1; }', 'unfunction TRAPINT'], ['trap : DEBUG', 'trap - DEBUG'], ['h() { :; }; mkfifo $HOME/fifo; exec 8<>$HOME/fifo; zle -F 8 h', 'zle -F 8; exec 8<&-']];
    for (const [set = '', remove = ''] of traps) {
      await session.enter(`${set}; echo "<""<set>"">"`);
      await session.shows('<<set>>');
      await session.waits();
      for (let i = 0; i < 5; i++) expect((await session.activity()).state).toBe('unknown');
      await session.enter(remove);
      await session.becomes('idle');
    }
    await session.terminal.terminate();
  });

  it('keeps its files in a private directory that goes with the terminal (266)', async () => {
    const session = await start(shell, {});
    const [name = ''] = own();
    const directory = join(fence.directory, name);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(directory).filter((one) => one !== 'traps')) expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600);
    await session.terminal.terminate();
    await waitUntil('the directory is gone', () => !existsSync(directory));
  });

  it('leaves nothing when the launch fails, and when the terminal ends by itself (266)', async () => {
    await expect(openShell(runtime, shell, join(fence.directory, 'missing'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(own()).toEqual([]);
    const session = await start(shell, {});
    await session.enter('exit');
    await session.terminal.done;
    await waitUntil('the directory is gone', () => own().length === 0);
    await session.terminal.terminate();
  });

  it('leaves nothing when the host exits (266)', async () => {
    const home = makeHome({});
    const code = `
      import { LocalSubprocessRuntime } from ${JSON.stringify(`${root}dist/index.js`)};
      const terminal = await new LocalSubprocessRuntime().spawnTerminal({ argv: ['/usr/bin/${shell}', '-i'], cwd: '/', env: { HOME: process.argv[1] }, rows: 24, cols: 80, terminalType: 'xterm', graceMs: 500, shellActivity: true });
      while ((await terminal.inspectActivity()).state !== 'idle') await new Promise((resolve) => setTimeout(resolve, 10));
      console.log((await import('node:fs')).readdirSync(process.env.TMPDIR).filter((name) => name.startsWith('holdfast-shell-')).length);
      process.exit(3);`;
    const host = await runNode(['--input-type=module', '-e', code, home], { env: { TMPDIR: fence.directory } });
    expect([host.code, host.stdout.toString(), host.stderr]).toEqual([3, '1\n', '']);
    expect(own()).toEqual([]);
  });

  it('is a terminal without evidence, and one warning, where the temp directory cannot be written (266)', async () => {
    const warnings: string[] = [];
    const warned = new LocalSubprocessRuntime({ onWarning: (message) => warnings.push(message) });
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = join(fence.directory, 'missing');
    try {
      const session = await openShell(warned, shell, makeHome({}));
      expect((await session.activity()).state).not.toBe('idle');
      expect(warnings.filter((one) => one.includes('activity'))).toHaveLength(1);
    } finally {
      process.env['TMPDIR'] = before;
      await warned.dispose();
    }
  });
});

describe('bash with activity', () => {
  const prompts = (text: string): number => text.split('own prompt command').length - 1;

  it.each([
    ['a scalar', "PROMPT_COMMAND='echo own prompt command $?'"],
    ['an exported scalar', "export PROMPT_COMMAND='echo own prompt command $?;'"],
    ['an array', "PROMPT_COMMAND=('echo own prompt command $?' ':')"],
  ])("runs the user's PROMPT_COMMAND, %s, with the status of the last command (264)", async (_, line) => {
    const session = await start('bash', { '.bashrc': `${line}\n` });
    await waitUntil('the first prompt', () => prompts(session.screen()) === 1); // idle can be known before the screen has it
    await session.enter('(exit 9)');
    await session.shows('own prompt command 9');
    await session.becomes('idle');
    await waitUntil('one more prompt', () => prompts(session.screen()) === 2);
    await session.enter('bash --norc -i');
    await session.becomes('busy');
    await session.enter('echo "<""<$((6*7))>"">"');
    await session.shows('<<42>>');
    expect(session.screen()).not.toMatch(/__holdfast|not found/);
    await session.terminal.terminate();
  });

  it("keeps the user's PS0, and shows nothing of its own (264)", async () => {
    const session = await start('bash', { '.bashrc': "PS0='[own \\\\$?=$? PS0]'\n" });
    await session.enter('(exit 5)');
    await session.enter(':');
    await session.shows(/\[own .*=5 PS0\]/);
    await session.becomes('idle');
    expect(session.screen()).not.toContain('holdfast');
    await session.terminal.terminate();
  });

  it.each(['readonly PROMPT_COMMAND', 'readonly PS0', 'PROMPT_COMMAND=:; readonly PROMPT_COMMAND', 'shopt -u promptvars'])('has no hooks, and no complaint, after `%s` (264)', async (line) => {
    const session = await startUnknown('bash', { '.bashrc': `${line}\n` });
    expect(session.screen()).not.toMatch(/readonly|holdfast/);
    await session.terminal.terminate();
  });

  it('is not idle any more once a hook was taken out (258, 264)', async () => {
    for (const line of ['PROMPT_COMMAND=:', 'PS0=']) {
      const session = await start('bash', {});
      await session.enter(line);
      await session.enter('echo "<""<out>"">"');
      await session.shows('<<out>>');
      await session.waits();
      await session.becomes('unknown');
      for (let i = 0; i < 10; i++) expect((await session.activity()).state).toBe('unknown');
      await session.terminal.terminate();
    }
  });
});

describe.runIf(SHELLS.includes('zsh'))('zsh with activity', () => {
  it('finds all start-up files where the user has them, and ZDOTDIR as it was (265)', async () => {
    const files = { '.zshenv': 'from_env=1\n', '.zshrc': 'from_rc=1\n', 'dots/.zshenv': 'from_env=2\n', 'dots/.zshrc': 'from_rc=2\n' };
    const question = 'echo "<""<$from_env $from_rc ${ZDOTDIR-none}>"">"';
    const plain = await start('zsh', files);
    expect(await answer(plain, question)).toBe('1 1 none');
    await plain.terminal.terminate();
    const home = makeHome(files);
    const moved = await openShell(runtime, 'zsh', home, { env: { ZDOTDIR: join(home, 'dots') } });
    await moved.becomes('idle');
    expect(await answer(moved, question)).toBe(`2 2 ${join(home, 'dots')}`);
    await moved.terminal.terminate();
  });

  it("runs the user's precmd and preexec with the status of the last command (265)", async () => {
    const session = await start('zsh', { '.zshrc': 'precmd() { echo "precmd $?" }; preexec() { echo "preexec $1" }; add() { echo "added $?" }; precmd_functions+=(add)\n' });
    await session.enter('(exit 9)');
    await session.shows('preexec (exit 9)');
    await session.shows('precmd 9');
    await session.shows('added 9');
    await session.becomes('idle');
    await session.terminal.terminate();
  });
});
