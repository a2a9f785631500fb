// Faults that other tools were reported for, by number and topic: what cannot be started, environment, lookup, descriptors,
// inherited state, latency.
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime, SubprocessExecutableNotFoundError } from '../support/holdfast.ts';
import { askHost } from '../support/host.ts';
import { provingOwners } from '../support/owners.ts';
import { root } from '../support/paths.ts';
import { parseFacts, factsArgv, rejection, run, spawnCollecting } from '../support/run.ts';
import { onTerminal } from '../support/terminal.ts';
import { within } from '../support/until.ts';

const fence = leakFence();
const sh = (script: string, ...args: string[]): string[] => ['/bin/sh', '-c', script, 'sh', ...args];
let place: string;
beforeEach(() => { place = realpathSync(mkdtempSync(join(fence.directory, 'launch-'))); });
afterEach(() => { rmSync(place, { recursive: true }); });

function script(path: string, text: string, mode = 0o755): string {
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, mode);
  return path;
}

describe.each(provingOwners)('held by %s', (owner) => {
  const runtime = new LocalSubprocessRuntime({ ownership: owner });
  const failure = (argv: readonly string[], cwd = place) => rejection(within(30_000, 'done', spawnCollecting(runtime, argv, cwd).done));
  const lookupFailure = (command: string) => rejection(runtime.resolveExecutable(command));

  it('B045: without descriptors a handle has what was asked for, and done says EMFILE', async () => {
    const facts = await askHost<{ results: { codes: string[] }[]; left: string[]; later: string }>('few-descriptors.mjs', [JSON.stringify(owner), 'later', '0', '3'], { before: 'ulimit -n 64' });
    expect(facts.results.flatMap((one) => one.codes).filter((code) => code !== 'EMFILE' && code !== 'ok')).toEqual([]);
    expect(facts).toMatchObject({ left: [], later: 'ok' });
  });

  it('B047: an argument of 128 KiB is refused by its place and length, one byte less is not', async () => {
    expect((await run(runtime, sh('echo ${#1}', 'x'.repeat(131_071)), place)).stdout).toBe('131071\n');
    const error = await failure(sh('touch ran', 'x'.repeat(131_072)));
    expect(error).toMatchObject({ code: 'E2BIG', path: '/bin/sh' });
    expect(error.message).toContain('options.argv[4] has 131072 bytes');
  });

  it('B049: a directory that cannot be entered is named as such, and the program is not blamed', async () => {
    const file = join(place, 'file');
    writeFileSync(file, '');
    const missing = join(place, 'missing');
    for (const [cwd, code] of [[missing, 'ENOENT'], [file, 'ENOTDIR']] as const) {
      const error = await failure(sh('true'), cwd);
      expect(error).toMatchObject({ code, syscall: 'chdir', path: cwd, stage: 'launch', message: `chdir ${cwd} ${code}` });
      expect(error).not.toBeInstanceOf(SubprocessExecutableNotFoundError);
    }
  });

  it('B051: a file without an execute bit, a directory and a path through a file are errors of done with their codes', async () => {
    const plain = script(join(place, 'plain'), 'true', 0o644);
    for (const [path, code] of [[plain, 'EACCES'], [place, 'EACCES'], [join(plain, 'below'), 'ENOTDIR']] as const) {
      expect(await failure([path])).toMatchObject({ code, path });
      expect(await lookupFailure(path)).toBeInstanceOf(SubprocessExecutableNotFoundError);
    }
  });

  it('B053: a program that was just written starts, however many forks are under way; one that is open does not', async () => {
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let i = 0; i < 20; i++) {
        const path = script(join(place, `fresh-${writer}-${i}`), `echo ${writer} ${i}`);
        expect((await run(runtime, [path], place)).stdout).toBe(`${writer} ${i}\n`);
      }
    });
    const forkers = Array.from({ length: 4 }, async () => {
      for (let i = 0; i < 20; i++) await run(runtime, ['/bin/true'], place);
    });
    await Promise.all([...writers, ...forkers]);
    const path = script(join(place, 'open'), 'true');
    const fd = openSync(path, 'r+');
    expect(await failure([path]).finally(() => { closeSync(fd); })).toMatchObject({ code: 'ETXTBSY', path });
  });

  it('B055: a program that is missing is never one that exited with 127 or 2', async () => {
    const missing = join(place, 'missing');
    expect(await failure([missing])).toMatchObject({ code: 'ENOENT', path: missing });
    const orphan = join(place, 'orphan');
    writeFileSync(orphan, '#!/no/such/interpreter\n', { mode: 0o755 });
    expect(await failure([orphan])).toMatchObject({ code: 'ENOENT', path: orphan });
    for (const code of [127, 2]) expect((await run(runtime, sh(`exit ${code}`), place)).outcome).toEqual({ exitCode: code, signal: null });
  });

  it('B056: names and values of variables mean what they say, or spawn throws', async () => {
    for (const env of [{ 'FOO=BAR': 'baz' }, { '': 'x' }, { 'A\0B': 'x' }, { A: 'x\0y' }]) {
      expect(() => spawnCollecting(runtime, ['/bin/true'], place, { env })).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARG_VALUE', message: expect.stringContaining('env') }));
    }
    const env = { FOO_EQUALS: 'a=b=', FOO_LINES: 'one\ntwo\n', FOO_LONG: 'x'.repeat(100_000), FOO_ÜNI: '中文', FOO_EMPTY: '', HOME: undefined };
    const facts = parseFacts((await run(runtime, factsArgv, place, { env })).stdout);
    const { HOME: _, ...given } = env;
    expect(facts.env).toMatchObject(given);
    expect(facts.env).not.toHaveProperty('HOME');
  });

  it('B058: what looks like a credential stays with the host unless the caller hands it over', async () => {
    const secrets = { MY_API_KEY: 'a', my_token: 'b', DB_PASSWORD: 'c', x_Secret_y: 'd', MONKEY: 'e', HOLDFAST_SESSION: 'f', holdfast_home: 'g' };
    Object.assign(process.env, secrets);
    try {
      const first = parseFacts((await run(runtime, factsArgv, place)).stdout).env;
      expect(Object.keys(secrets).filter((name) => name in first)).toEqual([]);
      const second = parseFacts((await run(runtime, factsArgv, place, { env: { MY_API_KEY: 'k', HOLDFAST_SESSION: 's' } })).stdout).env;
      expect(Object.keys(secrets).filter((name) => name in second)).toEqual(['MY_API_KEY', 'HOLDFAST_SESSION']);
      process.env['SEEN_LATER'] = 'yes';
      expect(parseFacts((await run(runtime, factsArgv, place)).stdout).env['SEEN_LATER']).toBe('yes');
    } finally {
      for (const name of [...Object.keys(secrets), 'SEEN_LATER']) delete process.env[name];
    }
  });

  it.each(['', '.', ':/usr/bin:/bin', '/usr/bin:/bin:', 'bin', '.:bin'])('B060: a program in the directory of the command is not run for PATH "%s"', async (path) => {
    script(join(place, 'uname'), 'echo PLANTED');
    mkdirSync(join(place, 'bin'));
    script(join(place, 'bin/uname'), 'echo PLANTED');
    const handle = spawnCollecting(runtime, ['uname'], place, { env: { PATH: path } });
    const code = await handle.done.then(() => 'ran', (error: NodeJS.ErrnoException) => error.code);
    expect(code).toBe(path.includes('/usr/bin') ? 'ran' : 'ENOENT');
    expect(handle.collected.stdout.readFrom(0).text).not.toContain('PLANTED');
    const found = await runtime.resolveExecutable('uname', { PATH: path }).catch((error: Error) => error.name);
    expect(found).toBe(path.includes('/usr/bin') ? '/usr/bin/uname' : 'SubprocessExecutableNotFoundError');
    await handle.waitForExit();
  });

  it('B060: names with a slash are no names to be looked up', async () => {
    for (const name of ['./uname', 'a/b', '../x']) expect(await lookupFailure(name)).toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' });
  });

  it('B062: lookup and child have the same PATH; without one nothing is found', async () => {
    const tool = script(join(place, 'onlyhere'), 'echo "$PATH"');
    const env = { PATH: `${place}:/usr/bin:/bin` };
    expect((await run(runtime, ['onlyhere'], '/', { env })).stdout).toBe(`${env.PATH}\n`);
    expect(await runtime.resolveExecutable('onlyhere', env)).toBe(tool);
    const without = spawnCollecting(runtime, ['sh'], place, { env: { PATH: undefined } });
    expect((await rejection(without.done)).code).toBe('ENOENT');
    const path = process.env['PATH'] as string;
    delete process.env['PATH'];
    expect(await lookupFailure('sh').finally(() => { process.env['PATH'] = path; })).toBeInstanceOf(SubprocessExecutableNotFoundError);
  });

  it('B064: names with blanks, line ends and other scripts, and long ones, arrive as they are', async () => {
    const names = ['a b ü 中文', 'line\nend', 'blank at the end ', 'x'.repeat(255)];
    const cwd = join(place, ...names);
    mkdirSync(cwd, { recursive: true });
    const program = script(join(cwd, 'tool ü'), 'printf "%s|" "$0" "$@"; pwd -P');
    const args = ['', ' ', 'ü 中', '"quoted"', '\n'];
    expect((await run(runtime, [program, ...args], cwd)).stdout).toBe(`${[program, ...args].join('|')}|${cwd}\n`);
  });

  it('B065: a command that has ended is over for its host, whatever others start at the same time; each has its own descriptors only', async () => {
    const long: ReturnType<typeof spawnCollecting>[] = [];
    const workers = Array.from({ length: 2 }, () => new Worker(`${root}test/fixtures/hosts/overlapping.mjs`, { workerData: { owner, rounds: 20 } }));
    const answers = workers.map((worker) => new Promise<{ wrong: string[] }>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    }));
    const ended = workers.map((worker) => new Promise((resolve) => { worker.once('exit', resolve); }));
    for (let round = 0; round < 20; round++) {
      const held = spawnCollecting(runtime, sh('exec sleep 60'), '/');
      long.push(held);
      const short = await within(30_000, 'the short one, beside long ones', run(runtime, factsArgv, '/'));
      expect(Object.keys(parseFacts(short.stdout).fds)).toEqual(['0', '1', '2']);
    }
    for (const handle of long) handle.terminate();
    await Promise.all(long.map((handle) => handle.waitForExit()));
    expect((await Promise.all(answers)).flatMap((answer) => answer.wrong)).toEqual([]);
    await Promise.all(ended);
  });

  it('B067: descriptor 7 is there in every command that asks for it, whatever numbers the host has free', async () => {
    const held: number[] = [];
    try {
      for (let i = 0; i < 13; i++) {
        const handle = runtime.spawn({
          argv: sh('IFS= read -r x <&7; printf "%s\\000\\377" "$x" >&7; echo "fd7 ok" >&2; test -e /proc/$$/fd/8 && echo more >&2; exit 0'), cwd: '/', graceMs: 5000,
          stdio: { stdin: 'ignore', stdout: { maxBytes: 100 }, stderr: { maxBytes: 100 }, control: 'pipe' },
        });
        const parts: Buffer[] = [];
        const end = new Promise((resolve) => { handle.control.on('data', (part: Buffer) => { parts.push(part); }).once('end', resolve); });
        handle.control.end('frame\n');
        expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: 0, signal: null });
        await within(30_000, 'the end of the channel', end);
        expect(Buffer.concat(parts)).toEqual(Buffer.from('frame\0\xff', 'latin1'));
        expect([handle.collected.stdout.readFrom(0).text, handle.collected.stderr.readFrom(0).text]).toEqual(['', 'fd7 ok\n']);
        await handle.waitForExit();
        held.push(openSync('/dev/null', 'r'));
      }
    } finally {
      for (const fd of held) closeSync(fd);
    }
  });

  it('B069: no signal is ignored or blocked, and a writer without a reader ends by SIGPIPE', async () => {
    const { stdout, stderr } = await run(runtime, sh("grep -E '^Sig(Blk|Ign)' /proc/self/status; yes | head -1"), '/');
    expect(stdout).toMatch(/^SigBlk:\t0+\nSigIgn:\t0+\ny\n$/);
    expect(stderr).toBe('');
  });

  it('B071: the umask is the host\'s in every command, also while private files are being made', async () => {
    const umask = process.umask(0o027);
    try {
      const spilling = Array.from({ length: 20 }, async () => {
        const own = new LocalSubprocessRuntime({ ownership: owner, spillDirectory: place });
        const handle = own.spawn({ argv: sh('head -c 9000 /dev/zero'), cwd: '/', graceMs: 5000, stdio: { stdin: 'ignore', stdout: { maxBytes: 10, spill: { maxBytes: 1e6 } }, stderr: { maxBytes: 10 } } });
        await handle.done;
        await handle.waitForExit();
        await own.dispose();
      });
      const masks = await Promise.all(Array.from({ length: 60 }, () => run(runtime, sh('umask'), '/')));
      expect(new Set(masks.map((one) => one.stdout))).toEqual(new Set(['0027\n']));
      await Promise.all(spilling);
      expect(process.umask()).toBe(0o027);
    } finally {
      process.umask(umask);
    }
  });

  it('B073: a command that asks on the terminal of its host is refused at once and does not stop', async () => {
    const { exitCode, screen } = onTerminal(['run', '--owner', owner, '--', ...sh('if read -r x < /dev/tty; then echo got; else echo no-tty; fi')]);
    expect(await exitCode).toBe(0);
    expect(screen()).toContain('no-tty');
  });

  it('B074: spawn() costs the same in a host with a large heap', async () => {
    const facts = await askHost<{ small: number; large: number }>('large-heap.mjs', [owner]);
    // The least of many calls, because others use this machine too. A fork of half a GiB takes more than ten milliseconds.
    expect(facts.large).toBeLessThan(5);
  });
});
