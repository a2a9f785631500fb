import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime, SubprocessError } from '../support/holdfast.ts';
import { provingOwners } from '../support/owners.ts';
import { dummy } from '../support/paths.ts';
import { alive, stat, tryRead } from '../support/proc.ts';
import { factsArgv, parseFacts, rejection } from '../support/run.ts';
import { openTerminal, runOnTerminal, terminalSpec } from '../support/terminal-session.ts';
import { waitUntil } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();
const sh = (script: string): string[] => ['/bin/sh', '-c', script];
const refusal = (more: object) => rejection(runtime.spawnTerminal({ ...terminalSpec(['/bin/true']), ...more } as never));

describe.each([...provingOwners, 'group' as const])('a program on a terminal, held by %s', (owner) => {
  const owned = new LocalSubprocessRuntime({ ownership: owner });

  it('leads its session and group, in the foreground of its controlling terminal, with nothing but 0 to 2 on it (222)', async () => {
    const { terminal, screen } = await openTerminal(owned, sh('tty; ls -l /proc/$$/fd; sleep 60'));
    await screen.until(/2 -> \/dev\/pts\/\d+/);
    const { pid } = terminal;
    expect(stat(pid)).toMatchObject({ pgrp: pid, session: pid });
    const fields = (tryRead(`/proc/${pid}/stat`) ?? '').split(') ')[1]?.split(' ') ?? [];
    const [, , , , device, foreground] = fields.map(Number);
    expect(device).not.toBe(0);
    expect(foreground).toBe(pid);
    const lines = screen.text.split('\r\n');
    const opened = lines.flatMap((line) => /(\d+) -> (\S+)/.exec(line)?.slice(1) ?? []);
    expect(opened).toEqual(['0', lines[0], '1', lines[0], '2', lines[0]]);
    await terminal.terminate();
    expect(terminal.report()).toMatchObject({ owner, proof: owner === 'group' ? 'observed' : 'proven' });
  });

  it('starts with the settings of a login, and a width and height as given (224, 225)', async () => {
    const { text } = await runOnTerminal(owned, sh('stty -a'), { rows: 33, cols: 99 });
    expect(text).toMatch(/speed 38400 baud; rows 33; columns 99;/);
    const words = new Set(text.split(/[\s;]+/));
    const on = 'icrnl ixon ixany imaxbel brkint iutf8 opost onlcr isig icanon iexten echo echoe echok echoke echoctl hupcl cread cs8'.split(' ');
    expect(on.filter((one) => !words.has(one))).toEqual([]);
    expect(text).toMatch(/intr = \^C;.*erase = \^\?;.*kill = \^U;.*eof = \^D;/s);
    expect(text).toMatch(/susp = \^Z;.*min = 1; time = 0;/s);
  });

  it('has default signals, and the environment of any command with TERM and PWD of its own (223)', async () => {
    Object.assign(process.env, { TERM: 'not-this-one', COLUMNS: '1', LINES: '2' });
    const { text, outcome } = await runOnTerminal(owned, factsArgv, { cwd: fence.directory, cols: 65535, env: { TERM: 'nor-this', PWD: '/wrong', EXTRA: 'one' }, terminalType: 'vt220' });
    const facts = parseFacts(text.trim());
    expect(facts.env).toMatchObject({ TERM: 'vt220', PWD: fence.directory, EXTRA: 'one', HOME: process.env['HOME'] });
    // Programs would believe these more than the terminal.
    expect(facts.env).not.toHaveProperty('COLUMNS');
    expect(facts.env).not.toHaveProperty('LINES');
    expect(facts).toMatchObject({ blocked: [], handled: [], cwd: fence.directory, tty: true });
    expect(Object.values(facts.fds).map((one) => one.nonblocking)).not.toContain(true);
    expect(outcome).toEqual({ exitCode: 0, signal: null });
  });

  it('that is missing, or whose directory is, rejects with the error of any launch, and no terminal stays (226)', async () => {
    const missing = await rejection(owned.spawnTerminal(terminalSpec(['/no/such/program', 'x'])));
    expect(missing).toMatchObject({ code: 'ENOENT', syscall: 'spawn /no/such/program', path: '/no/such/program', spawnargs: ['x'] });
    const bare = await rejection(owned.spawnTerminal(terminalSpec(['no-such-program'])));
    expect(bare).toMatchObject({ code: 'ENOENT', stage: 'resolve' });
    const nowhere = await rejection(owned.spawnTerminal(terminalSpec(['/bin/true'], { cwd: '/no/such/directory' })));
    expect(nowhere).toMatchObject({ code: 'ENOENT', syscall: 'chdir', path: '/no/such/directory' });
    for (const error of [missing, bare, nowhere]) expect(error).toBeInstanceOf(SubprocessError);
  });
});

describe('a specification that cannot be', () => {
  it.each([[[]], [['']], [['', 'x']]])('argv %j rejects (218)', async (argv) => {
    expect(await refusal({ argv })).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE', message: 'terminal argv must contain a program' });
  });

  it.each([
    [{ argv: ['a\0'] }, "'file'"],
    [{ argv: ['a', 'b\0'] }, "'args[0]'"],
    [{ cwd: '/\0' }, "'options.cwd'"],
    [{ env: { 'A\0': 'x' } }, 'options.env'],
    [{ env: { A: '\0' } }, 'options.env'],
    [{ terminalType: 'a\0' }, "'options.terminalType'"],
  ])('NUL in %j rejects (221)', async (more, name) => {
    const error = await refusal(more);
    expect(error).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE' });
    expect(error.message).toContain(name);
  });

  it.each([0, -1, 1.5, 65536, 70000, NaN, Infinity, '24'])('a side of %s characters rejects (228)', async (side) => {
    expect(await refusal({ rows: side })).toMatchObject({ name: 'RangeError', code: 'ERR_OUT_OF_RANGE' });
    expect(await refusal({ cols: side })).toMatchObject({ name: 'RangeError', code: 'ERR_OUT_OF_RANGE' });
  });

  it.each([0, -1, NaN, Infinity, 2 ** 31])('a grace of %s ms rejects (229)', async (graceMs) => {
    expect(await refusal({ graceMs })).toMatchObject({ name: 'RangeError', code: 'ERR_OUT_OF_RANGE' });
  });

  it.each([[1, 1], [65535, 65535], [1, 65535]])('%i by %i is one that can be (228)', async (rows, cols) => {
    expect((await runOnTerminal(runtime, sh('stty size'), { rows, cols })).text).toBe(`${rows} ${cols}\r\n`);
  });
});

describe('the abort of the allocation', () => {
  it.each([[new Error('mine')], ['text'], [null]])('before the call rejects with the reason %s itself (219)', async (reason) => {
    await runtime.spawnTerminal(terminalSpec(['/bin/true'], { signal: AbortSignal.abort(reason) })).then(() => expect.unreachable(), (error: unknown) => expect(error).toBe(reason));
  });

  it('while it is under way rejects with the reason, and leaves nothing', async () => {
    for (let round = 0; round < 20; round++) {
      const controller = new AbortController();
      const reason = new Error('changed my mind');
      const asked = runtime.spawnTerminal(terminalSpec(['/bin/sleep', '60'], { signal: controller.signal }));
      if (round % 2 === 1) await Promise.resolve();
      controller.abort(reason);
      expect(await rejection(asked)).toBe(reason);
    }
  });

  it('has no effect once the terminal is there (220)', async () => {
    const controller = new AbortController();
    const { terminal, screen } = await openTerminal(runtime, sh('read line; echo "got $line"'), { signal: controller.signal });
    controller.abort();
    await terminal.write('still here\n');
    await screen.until('got still here');
    expect(await terminal.done).toEqual({ exitCode: 0, signal: null });
    await terminal.terminate();
  });
});

describe('the outcome', () => {
  it('is the exit code or the signal, and neither for a signal without a name (227)', async () => {
    expect((await runOnTerminal(runtime, dummy('exit', 7))).outcome).toEqual({ exitCode: 7, signal: null });
    expect((await runOnTerminal(runtime, dummy('kill', constants.signals.SIGSEGV))).outcome).toEqual({ exitCode: null, signal: 'SIGSEGV' });
    expect((await runOnTerminal(runtime, dummy('kill', 35))).outcome).toEqual({ exitCode: null, signal: null });
  });

  it('is that of the shell that another shell has become by exec', async () => {
    const { terminal, screen } = await openTerminal(runtime, ['/bin/sh']);
    await terminal.write('exec /bin/sh -c "echo now $$; exit 9"\n');
    await screen.until(`now ${terminal.pid}`);
    expect(await terminal.done).toEqual({ exitCode: 9, signal: null });
    await terminal.terminate();
  });
});

describe('after disposal', () => {
  it('spawnTerminal rejects with DISPOSED', async () => {
    const gone = new LocalSubprocessRuntime();
    await gone.dispose();
    expect(await rejection(gone.spawnTerminal(terminalSpec(['/bin/true'])))).toMatchObject({ code: 'DISPOSED' });
  });

  it('live terminals are terminated, and those under way never become handles or end at once (282)', async () => {
    const own = new LocalSubprocessRuntime();
    const { terminal } = await openTerminal(own, ['/bin/sleep', '60']);
    const underway = own.spawnTerminal(terminalSpec(['/bin/sleep', '60'])).then((late) => late.done, (error: { code: string }) => error.code);
    await own.dispose();
    expect(await terminal.done).toEqual({ exitCode: null, signal: 'SIGTERM' });
    expect(['DISPOSED', { exitCode: null, signal: 'SIGTERM' }]).toContainEqual(await underway);
    await waitUntil('the end of the program', () => !alive(terminal.pid));
  });
});
