import { describe, expect, it } from 'vitest';
import { cli, cliPath } from '../support/cli.ts';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { alive, descendants } from '../support/proc.ts';
import { openSession, type Session } from '../support/shells.ts';
import { waitUntil } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();
const quoted = (words: readonly string[]): string => words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
const BASH = ['bash', '--norc', '--noprofile', '-i'];

/**
 * The user's side: a shell on a terminal, which starts `holdfast terminal …` as the user's shell would. When that has ended,
 * it prints the exit code, and whether the mode of the terminal is the one from before.
 */
function user(words: readonly string[]): Promise<Session> {
  const script = `before=$(stty -g); ${quoted([process.execPath, cliPath, 'terminal', ...words])}; echo "code=$?"; [ "$(stty -g)" = "$before" ] && echo restored`;
  return openSession(runtime, ['sh', '-c', script], fence.directory);
}

/** The process of holdfast itself. */
function holdfastOf(session: Session): number {
  const found = descendants(session.terminal.pid).find((one) => one.comm.startsWith('node') || one.comm.startsWith('MainThread'));
  if (found === undefined) throw new Error('holdfast is not running');
  return found.pid;
}

async function ends(session: Session, code: number): Promise<void> {
  await session.shows(`code=${code}\r\n`);
  await session.shows('restored');
  await session.terminal.done;
  await session.terminal.terminate();
}

describe('holdfast terminal', () => {
  it('passes keys and output through, and ends with the exit code of the command', async () => {
    const session = await user(['--', ...BASH]);
    await session.shows(/[$#] $/);
    await session.enter('echo "<""<$((6*7)) $(tty)>"">"');
    const inner = await session.shows(/<<42 (\/dev\/pts\/\d+)>>/);
    await session.enter('exit 7');
    await ends(session, 7);
    expect(inner).toMatch(/pts/);
  });

  it('passes Ctrl-C and Ctrl-Z on to the jobs of the shell inside', async () => {
    const session = await user(['--', ...BASH]);
    await session.shows(/[$#] $/);
    await session.enter('sleep 300');
    const sleeps = (): boolean => descendants(session.terminal.pid).some((one) => one.comm === 'sleep' && one.state === 'S');
    await waitUntil('the sleep', sleeps);
    await session.terminal.write('\x1a');
    await session.shows('Stopped');
    await session.enter('fg');
    await waitUntil('the sleep goes on', sleeps);
    await session.terminal.write('\x03');
    await session.enter('echo "<""<$?>"">"');
    await session.shows('<<130>>');
    await session.enter('exit 0');
    await ends(session, 0);
  });

  it('passes the size on, at the start and when it changes', async () => {
    const session = await user(['--', 'bash', '-c', 'stty size; trap "stty size; exit 0" WINCH; echo ready; while :; do sleep 0.05; done']);
    await session.shows('24 120\r\nready');
    await session.terminal.resize(77, 33);
    await session.shows('33 77\r\n');
    await ends(session, 0);
  });

  it('shows every byte as the program wrote it, and takes every key as it was typed', async () => {
    const session = await user(['--', 'sh', '-c', 'stty raw -echo; printf "up\\n"; head -c 4 | od -An -tx1; printf "line\\nfeed"']);
    await session.shows('up\n');
    await session.terminal.write('\r\n\x03\x13');
    await session.shows('0d 0a 03 13');
    await session.shows('line\nfeed');
    expect(session.screen()).not.toContain('up\r\n');
    await ends(session, 0);
  });

  it('delivers the end of a long output of a program that exits at once', async () => {
    const session = await user(['--', 'sh', '-c', 'seq 1 50000; echo "<""<last>"">"']);
    await session.shows('<<last>>');
    expect(session.screen()).toContain('49999\r\n50000\r\n');
    await ends(session, 0);
  });

  it.each([['SIGTERM', 143], ['SIGHUP', 129], ['SIGINT', 130]] as const)('ends everything and gives the terminal back when it gets %s', async (signal, code) => {
    const session = await user(['--grace', '300ms', '--', 'sh', '-c', 'trap "" TERM HUP INT; printf "\\033[?1049h\\033[?25lup"; while :; do sleep 1; done']);
    await session.shows('up');
    const holdfast = holdfastOf(session);
    const inside = descendants(holdfast).filter((one) => one.comm === 'sh').map((one) => one.pid);
    process.kill(holdfast, signal);
    await session.shows('\x1b[?1049l\x1b[?25h');
    await ends(session, code);
    expect(inside.length).toBeGreaterThan(0);
    expect(inside.filter(alive)).toEqual([]);
  });

  it('gives the terminal back at a second signal, which does not wait', async () => {
    const session = await user(['--grace', '1h', '--', 'sh', '-c', 'trap : TERM; echo up; while :; do sleep 1000; done']);
    await session.shows('up');
    const holdfast = holdfastOf(session);
    const sleeper = (): number | undefined => descendants(holdfast).find((one) => one.comm === 'sleep')?.pid;
    await waitUntil('the first sleep', () => sleeper() !== undefined);
    const first = sleeper();
    process.kill(holdfast, 'SIGTERM');
    // Two that come in one turn of the loop would be one; the first ends what runs in the shell.
    await waitUntil('the first one was taken', () => ![first, undefined].includes(sleeper()));
    process.kill(holdfast, 'SIGTERM');
    await ends(session, 143);
  });

  it('gives the terminal back after a command that was killed, and while it is stopped itself', async () => {
    const session = await user(['--', 'sh', '-c', 'stty raw -echo; printf "\\033[?1000hup"; read -r x; kill -9 $$']);
    await session.shows('up');
    const holdfast = holdfastOf(session);
    process.kill(holdfast, 'SIGTSTP');
    await waitUntil('holdfast is stopped', () => descendants(session.terminal.pid).some((one) => one.pid === holdfast && one.state === 'T'));
    process.kill(holdfast, 'SIGCONT');
    await waitUntil('holdfast goes on', () => descendants(session.terminal.pid).some((one) => one.pid === holdfast && one.state === 'S'));
    await session.terminal.write('x\n');
    await session.shows('\x1b[?1000l');
    await ends(session, 137);
  });

  it('says so, and leaves the terminal alone, when the command cannot be started', async () => {
    const missing = await user(['--', 'no-such-program']);
    await missing.shows(/holdfast: .*no-such-program/);
    await ends(missing, 127);
    const nowhere = await user(['--cwd', '/no/such/place', '--', 'sh']);
    await nowhere.shows(/holdfast: .*\/no\/such\/place/);
    await ends(nowhere, 125);
  });

  it('ends what outlives the command, and says how many', async () => {
    const session = await user(['--', 'sh', '-c', 'trap "" HUP; setsid sleep 300 & echo "left=$!"; exit 3']);
    const left = Number(await session.shows(/left=(\d+)/));
    await session.shows('holdfast: ended 1 process that outlived the command');
    await ends(session, 3);
    expect(alive(left)).toBe(false);
  });

  it('ends what it has started when the user closes the window', async () => {
    const session = await user(['--grace', '300ms', '--', 'sh', '-c', 'trap "" HUP TERM; echo up; while :; do sleep 1; done']);
    await session.shows('up');
    const holdfast = holdfastOf(session);
    const all = [holdfast, ...descendants(holdfast).map((one) => one.pid)];
    await session.terminal.terminate();
    await waitUntil('all are gone', () => !all.some(alive));
  });

  it('refuses to work without a terminal', async () => {
    const { code, stderr } = await cli(['terminal', '--', 'bash']);
    expect([code, stderr]).toEqual([125, 'holdfast: standard input and output must be a terminal; use holdfast run for anything else\n']);
  });
});
