import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime, SubprocessExecutableNotFoundError } from '../support/holdfast.ts';
import { rejection, run } from '../support/run.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();
let place: string;
beforeEach(() => { place = mkdtempSync(join(fence.directory, 'path-')); });
// Registered after the fence's own hook, so it runs before it: the fence finds the directory as it was.
afterEach(() => { rmSync(place, { recursive: true, force: true }); });

/** A file below `place`, executable unless `mode` says otherwise. */
function file(name: string, mode = 0o755, text = '#!/bin/sh\necho "$0"\n'): string {
  const path = join(place, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const on = (...directories: string[]): Record<string, string> => ({ PATH: directories.map((one) => join(place, one)).join(':') });

describe('resolveExecutable with a bare name', () => {
  it('finds it on PATH, and follows a link only for the check (22, 25)', async () => {
    const target = file('real/program');
    mkdirSync(join(place, 'bin'));
    symlinkSync(target, join(place, 'bin/tool'));
    expect(await runtime.resolveExecutable('tool', on('bin'))).toBe(join(place, 'bin/tool'));
  });

  it('takes the first in PATH order that can be run; directories and plain files are passed over (24)', async () => {
    mkdirSync(join(place, 'a/tool'), { recursive: true });
    file('b/tool', 0o644);
    const third = file('c/tool');
    file('d/tool');
    expect(await runtime.resolveExecutable('tool', on('missing', 'a', 'b', 'c', 'd'))).toBe(third);
  });

  it('searches the PATH of the host where the caller gives none, and only the caller\'s where it does (26)', async () => {
    expect(await runtime.resolveExecutable('sh')).toMatch(/^\/.*\/sh$/);
    await expect(runtime.resolveExecutable('sh', on('nothing'))).rejects.toBeInstanceOf(SubprocessExecutableNotFoundError);
  });

  it('takes a relative entry of PATH from the working directory of the host and answers with an absolute path (27, 28)', async () => {
    const tool = file('bin/tool');
    const outside = process.cwd();
    process.chdir(place);
    const found = runtime.resolveExecutable('tool', { PATH: 'nothing:bin' });
    process.chdir(outside);
    expect(await found).toBe(tool);
  });

  it.each(['', ':', '::'])('finds nothing on PATH "%s": an empty entry names no directory (28)', async (path) => {
    const outside = process.cwd();
    file('tool');
    process.chdir(place);
    try {
      await expect(runtime.resolveExecutable('tool', { PATH: path })).rejects.toBeInstanceOf(SubprocessExecutableNotFoundError);
    } finally {
      process.chdir(outside);
    }
  });

  it('treats a backslash as part of the name (18)', async () => {
    const odd = file('bin/a\\b');
    expect(await runtime.resolveExecutable('a\\b', on('bin'))).toBe(odd);
  });

  it('says that it was not found on PATH, by class, name and message, without a code (22, 23)', async () => {
    const error = await rejection(runtime.resolveExecutable('no-such-tool'));
    expect(error).toBeInstanceOf(SubprocessExecutableNotFoundError);
    expect(error.name).toBe('SubprocessExecutableNotFoundError');
    expect(error.message).toMatch(/"no-such-tool".*was not found on PATH/);
    expect('code' in error && error.code !== undefined).toBe(false);
  });

  it('does not change the environment of the host (33)', async () => {
    const before = { ...process.env };
    await rejection(runtime.resolveExecutable('no-such-tool', on('nothing')));
    expect({ ...process.env }).toEqual(before);
  });
});

describe('resolveExecutable with a path', () => {
  it('returns an absolute path exactly as it was given (19)', async () => {
    const tool = file('bin/tool');
    const odd = `${place}/./bin//../bin/tool`;
    expect(await runtime.resolveExecutable(tool)).toBe(tool);
    expect(await runtime.resolveExecutable(odd)).toBe(odd);
  });

  it.each([
    ['that is missing', () => join(place, 'missing')],
    ['of a directory', () => place],
    ['of a file without an execute bit', () => file('plain', 0o644)],
  ])('refuses an absolute path %s (20, 21)', async (_, path) => {
    const error = await rejection(runtime.resolveExecutable(path()));
    expect(error).toBeInstanceOf(SubprocessExecutableNotFoundError);
    expect(error.message).toContain(`${JSON.stringify(path())}`);
    expect(error.message).toContain('is not an executable file');
  });

  it.each(['./tool', 'bin/tool', '../tool'])('refuses the relative path %s, which is not a lookup that found nothing (17)', async (path) => {
    const error = await rejection(runtime.resolveExecutable(path));
    expect(error).not.toBeInstanceOf(SubprocessExecutableNotFoundError);
    expect(error.message).toContain(`${JSON.stringify(path)} is a relative path; use an absolute path or a bare PATH name`);
  });

  it('refuses an empty command, before it looks at the signal (14)', async () => {
    await expect(runtime.resolveExecutable('')).rejects.toThrow('must be non-empty');
    await expect(runtime.resolveExecutable('', {}, AbortSignal.abort(new Error('mine')))).rejects.toThrow('must be non-empty');
  });
});

describe('resolveExecutable and its signal', () => {
  it('rejects with the very reason when it is aborted already (15)', async () => {
    const reason = { why: 'mine' };
    expect(await rejection(runtime.resolveExecutable('sh', {}, AbortSignal.abort(reason)))).toBe(reason);
  });

  it('rejects with the very reason when it is aborted meanwhile (16)', async () => {
    const controller = new AbortController();
    const reason = new Error('mine');
    const found = rejection(runtime.resolveExecutable('sh', {}, controller.signal));
    controller.abort(reason);
    expect(await found).toBe(reason);
  });
});

describe('spawn', () => {
  it('looks the program up on the PATH of the child, not of the host (73)', async () => {
    const tool = file('bin/only-here');
    const { stdout } = await run(runtime, ['only-here'], place, { env: on('bin') });
    expect(stdout).toBe(`${tool}\n`);
  });

  it('takes a program with a slash from the directory of the child (73)', async () => {
    file('bin/tool');
    const { stdout } = await run(runtime, ['./bin/tool'], place);
    expect(stdout).toBe('./bin/tool\n');
  });

  it('keeps argv[0] as it was given for a bare name', async () => {
    const { stdout } = await run(runtime, ['cat', '/proc/self/cmdline'], place);
    expect(stdout).toBe('cat\0/proc/self/cmdline\0');
  });
});

describe('terminalEnvironment', () => {
  it('names the shell of SHELL, else of the account (34, 35)', async () => {
    const before = process.env['SHELL'];
    try {
      process.env['SHELL'] = '/bin/my-shell';
      expect(await runtime.terminalEnvironment()).toEqual({ platform: 'posix', defaultShell: '/bin/my-shell' });
      delete process.env['SHELL'];
      const facts = await runtime.terminalEnvironment();
      expect(facts.platform).toBe('posix');
      if ('defaultShell' in facts) expect(facts.defaultShell).toMatch(/^\//);
    } finally {
      if (before === undefined) delete process.env['SHELL'];
      else process.env['SHELL'] = before;
    }
  });

  it('rejects with the very reason when it is aborted already (38)', async () => {
    const reason = { why: 'mine' };
    expect(await rejection(runtime.terminalEnvironment(AbortSignal.abort(reason)))).toBe(reason);
  });
});
