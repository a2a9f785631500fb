import { constants } from 'node:os';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime, SubprocessError } from '../support/holdfast.ts';
import { askHost } from '../support/host.ts';
import { asNobodyElse, withoutOverride } from '../support/privilege.ts';
import { rejection, run, spawnCollecting } from '../support/run.ts';
import { within } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();
const usable = (await runtime.diagnose()).owners.filter((one) => one.available).map((one) => one.kind);
let place: string;
beforeEach(() => { place = mkdtempSync(join(fence.directory, 'launch-')); });
afterEach(() => { rmSync(place, { recursive: true, force: true }); });

function file(name: string, text: string | Buffer, mode = 0o755): string {
  const path = join(place, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

/** The error of `done`; the handle must be over and harmless afterwards. */
async function failure(argv: readonly string[], cwd = place, env: Record<string, string> = {}) {
  const handle = spawnCollecting(runtime, argv, cwd, { env });
  const error = await rejection(within(30_000, 'done', handle.done));
  expect(error).toBeInstanceOf(SubprocessError);
  expect(error).toBeInstanceOf(Error);
  expect(error.name).toBe('Error');
  handle.terminate();
  expect(await handle.waitForExit()).toBe(true);
  expect(handle.collected.stdout.readFrom(0)).toEqual({ text: '', nextOffset: 0, lossy: false });
  expect(handle.report()).toMatchObject({ launch: 'failed', pid: null });
  return error;
}

describe('done rejects, shaped as Node does it (146, 147)', () => {
  it('for a missing program', async () => {
    const path = join(place, 'missing');
    expect(await failure([path, 'a', 'b'])).toMatchObject({
      message: `spawn ${path} ENOENT`, code: 'ENOENT', errno: -constants.errno.ENOENT, syscall: `spawn ${path}`, path, spawnargs: ['a', 'b'], stage: expect.stringMatching(/^(resolve|launch)$/),
    });
  });

  it('for a bare name that is nowhere on PATH', async () => {
    // A directory of PATH that may not be searched would be EACCES.
    expect(await failure(['no-such-tool'], place, { PATH: '/usr/bin:/bin' })).toMatchObject({ code: 'ENOENT', syscall: 'spawn no-such-tool', path: 'no-such-tool', stage: 'resolve' });
  });

  it('for a missing directory, which is told apart from a missing program', async () => {
    const cwd = join(place, 'missing');
    expect(await failure(['/bin/true'], cwd)).toMatchObject({ code: 'ENOENT', errno: -constants.errno.ENOENT, syscall: 'chdir', path: cwd });
  });

  it('for a directory that is a file', async () => {
    const cwd = file('plain', '');
    expect(await failure(['/bin/true'], cwd)).toMatchObject({ code: 'ENOTDIR', syscall: 'chdir', path: cwd });
  });

  it('for a file without an execute bit, and for a directory', async () => {
    expect(await failure([file('plain', 'x', 0o644)])).toMatchObject({ code: 'EACCES', stage: expect.any(String) });
    expect(await failure([place])).toMatchObject({ code: 'EACCES' });
  });

  it('for a program below a file, a name that is too long, a loop of links', async () => {
    expect(await failure([join(file('plain', ''), 'program')])).toMatchObject({ code: 'ENOTDIR' });
    expect(await failure([`/${'x'.repeat(5000)}`])).toMatchObject({ code: 'ENAMETOOLONG' });
    symlinkSync('loop', join(place, 'loop'));
    expect(await failure([join(place, 'loop')])).toMatchObject({ code: 'ELOOP' });
  });

  it('for arguments or an environment that are too big, saying which one and how long it is (76)', async () => {
    const one = await failure(['/bin/true', 'a', 'ü'.repeat(100_000)]);
    expect(one).toMatchObject({ code: 'E2BIG', errno: -constants.errno.E2BIG, path: '/bin/true', stage: 'launch' });
    expect(one.message).toMatch(/^spawn \/bin\/true E2BIG: options\.argv\[2\] has 200000 bytes/);

    const many = await failure(['/bin/true', ...Array.from({ length: 40 }, () => 'x'.repeat(120_000))]);
    expect(many).toMatchObject({ code: 'E2BIG', path: '/bin/true' });
    expect(many.message).toMatch(/41 arguments have 4800050 bytes, the longest is options\.argv\[1\] with 120000/);

    const variable = await failure(['/bin/true'], place, { A_LONG_ONE: 'secret'.repeat(30_000) });
    expect(variable).toMatchObject({ code: 'E2BIG', path: '/bin/true' });
    expect(variable.message).toMatch(/the variable A_LONG_ONE has 180011 bytes/);
    expect(variable.message).not.toContain('secret');
  });

  it('not for the longest argument that the system takes (76)', async () => {
    const { outcome, stdout } = await run(runtime, ['/bin/sh', '-c', 'echo ${#1}', 'sh', 'x'.repeat(131_071)], place);
    expect({ outcome, stdout }).toEqual({ outcome: { exitCode: 0, signal: null }, stdout: '131071\n' });
    expect(await failure(['/bin/true', 'x'.repeat(131_072)])).toMatchObject({ code: 'E2BIG' });
  });

  it('for a script whose interpreter is missing, naming the script (74)', async () => {
    const script = file('script', '#!/no/such/interpreter\n');
    expect(await failure([script])).toMatchObject({ code: 'ENOENT', path: script });
  });

  it('for a binary that is damaged, and for data with a null byte at its beginning (74)', async () => {
    const damaged = file('damaged', Buffer.concat([Buffer.from('\x7fELF'), Buffer.alloc(60)]));
    expect(await failure([damaged])).toMatchObject({ code: 'ENOEXEC', path: damaged, stage: 'launch' });
    const data = file('data', 'echo this is no script\0\n');
    expect(await failure([data])).toMatchObject({ code: 'ENOEXEC', path: data, stage: 'launch' });
  });

  it('for a link that leads nowhere', async () => {
    const link = join(place, 'dangling');
    symlinkSync('nowhere', link);
    expect(await failure([link])).toMatchObject({ code: 'ENOENT', path: link });
    expect(await failure(['/bin/true'], link)).toMatchObject({ code: 'ENOENT', syscall: 'chdir', path: link });
  });

  it('for a directory that may not be entered', async () => {
    const facts = await askHost<{ owner: string; code: string; syscall: string; path: string; stage: string; wait: boolean; later: string }[]>('closed-directory.mjs', [place], { wrap: withoutOverride });
    expect(facts.map((one) => one.owner)).toContain('group');
    for (const one of facts) expect(one).toMatchObject({ code: 'EACCES', syscall: 'chdir', path: join(place, 'closed'), stage: 'launch', wait: true, later: 'later\n' });
  });

  it('for a program that somebody is writing', async () => {
    const path = file('busy', '#!/bin/sh\n');
    const fd = openSync(path, 'r+');
    const error = await failure([path]).finally(() => { closeSync(fd); });
    expect(error).toMatchObject({ code: 'ETXTBSY', path, stage: 'launch' });
    expect((await run(runtime, [path], place)).outcome.exitCode).toBe(0);
  });
});

describe('what is no failure', () => {
  it('is a script without #!: /bin/sh runs it, with its path as $0 (74)', async () => {
    const script = file('script', 'echo "$0 $1 $#"; exit 6\n');
    const { outcome, stdout } = await run(runtime, [script, 'one', 'two'], place);
    expect(stdout).toBe(`${script} one 2\n`);
    expect(outcome.exitCode).toBe(6);
  });

  it('is an empty file that can be run (74)', async () => {
    const { outcome } = await run(runtime, [file('empty', '')], place);
    expect(outcome).toEqual({ exitCode: 0, signal: null });
  });

  it('is a script with #! and arguments', async () => {
    const script = file('script', '#!/bin/sh -e\necho "$0 $1"\n');
    expect((await run(runtime, [script, 'one'], place)).stdout).toBe(`${script} one\n`);
  });

  it('is a program that was written a moment ago, while other threads fork', async () => {
    const results = await Promise.all(Array.from({ length: 30 }, (_, i) => run(runtime, [file(`fresh-${i}`, `#!/bin/sh\necho ${i}\n`)], place)));
    expect(results.map((one) => one.stdout)).toEqual(results.map((_, i) => `${i}\n`));
  });

});

describe('processes', () => {
  it.each(['auto', 'subreaper', 'group'].flatMap((owner) => [[owner, 'first'], [owner, 'later']]))('that are as many as the user may have reject done with EAGAIN, leave nothing behind, and are no problem later: %s, %s', async (owner, when) => {
    const facts = await askHost<{ codes: string[]; left: string[]; later: string; warnings: string[] }>('few-processes.mjs', [JSON.stringify(owner), when as string], { wrap: asNobodyElse });
    expect(facts.warnings.filter((message) => message.includes('no warden'))).toEqual([]);
    expect(facts.codes[0]).toBe('EAGAIN');
    expect(facts.codes.at(-1)).toBe('ok');
    expect(new Set(facts.codes)).toEqual(new Set(['EAGAIN', 'ok']));
    expect(facts).toMatchObject({ left: [], later: 'ok' });
  });
});

describe('descriptors', () => {
  interface Facts { results: { count: number; codes: string[] }[]; left: string[]; later: string; warnings: string[] }
  const ask = (owner: string, when: 'first' | 'later', from: number, to: number): Promise<Facts> =>
    askHost('few-descriptors.mjs', [JSON.stringify(owner), when, String(from), String(to)], { before: 'ulimit -n 100' });

  // A launch needs between three and, in the host itself, thirteen here, so every step of it is the one that finds none left, in some round.
  it.each(usable)('that run out at any step reject done with EMFILE, leave nothing behind, and are no problem later: %s', async (owner) => {
    const facts = await ask(owner, 'later', 0, 16);
    expect(new Set(facts.results[0]?.codes)).toEqual(new Set(['EMFILE']));
    expect(new Set(facts.results.at(-1)?.codes)).toEqual(new Set(['ok']));
    expect(new Set(facts.results.flatMap((one) => one.codes))).toEqual(new Set(['EMFILE', 'ok']));
    expect(facts).toMatchObject({ left: [], later: 'ok', warnings: [] });
  });

  it('that run out while threads and warden are started are no reason for a weaker owner, at once or later', async () => {
    for (const count of [1, 2, 3, 4, 5, 6, 8, 10, 12, 14]) {
      const facts = await ask('auto', 'first', count, count);
      expect(facts.results[0]?.codes.filter((code) => code !== 'EMFILE' && code !== 'ok')).toEqual([]);
      // Only what the host is anyway, not what it lacked for a moment.
      expect(facts.warnings.filter((message) => /descriptors|Too many open files/.test(message))).toEqual([]);
      expect(facts.later).toBe('ok');
    }
  });

  it('that run out before the binary is loaded make spawn throw, and the next one loads it', async () => {
    const facts = await ask('auto', 'first', 0, 0);
    expect(new Set(facts.results[0]?.codes)).toEqual(new Set(['threw BINARY_UNAVAILABLE']));
    expect(facts.later).toBe('ok');
  });
});
