import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { terminalEnvironment } from '../../src/runtime/terminal-environment.ts';
import { SubprocessError, SubprocessExecutableNotFoundError } from '../../src/seam/errors.ts';
import { fakeRuntime, rejection } from './support/fake-binding.ts';
import { stubProcess } from './support/stub-process.ts';

const place = mkdtempSync(join(tmpdir(), 'holdfast-lookup-'));
afterAll(() => rmSync(place, { recursive: true }));

describe('resolveExecutable', () => {
  it('asks the native side for a bare name, with the PATH of the child', async () => {
    const { binding, runtime } = fakeRuntime();
    binding.answer = { path: '/bin/tool' };
    expect(await runtime.resolveExecutable('tool', { PATH: '/x:/bin' })).toBe('/bin/tool');
    expect(binding.lookups).toEqual([['tool', '/x:/bin', process.cwd()]]);
  });

  it.each(['ENOENT', 'EACCES'] as const)('says not found, by class and without a code, when the lookup answers %s', async (code) => {
    const { binding, runtime } = fakeRuntime();
    binding.answer = { code };
    const error = await rejection(runtime.resolveExecutable('to"ol'));
    expect(error).toBeInstanceOf(SubprocessExecutableNotFoundError);
    expect(error.name).toBe('SubprocessExecutableNotFoundError');
    expect(error.message).toContain('"to\\"ol" was not found on PATH');
    expect('code' in error).toBe(false);
  });

  it('keeps a lookup that could not look apart (32)', async () => {
    const { binding, runtime } = fakeRuntime();
    binding.answer = { failure: 'EIO', syscall: 'stat', path: '/net/tool' };
    const error = await rejection(runtime.resolveExecutable('tool'));
    expect(error).toBeInstanceOf(SubprocessError);
    expect(error).toMatchObject({ code: 'EIO', errno: -5, syscall: 'stat', path: '/net/tool', stage: 'resolve', message: 'stat /net/tool EIO' });
  });

  it('checks an absolute path itself and returns it as it is', async () => {
    const { binding, runtime } = fakeRuntime();
    const tool = join(place, 'tool');
    writeFileSync(tool, '#!/bin/sh\n');
    expect((await rejection(runtime.resolveExecutable(tool))).message).toBe(`${JSON.stringify(tool)} is not an executable file`);
    chmodSync(tool, 0o755);
    expect(await runtime.resolveExecutable(`${place}/./tool`)).toBe(`${place}/./tool`);
    for (const miss of [place, join(place, 'no'), join(tool, 'below')]) {
      expect(await rejection(runtime.resolveExecutable(miss))).toBeInstanceOf(SubprocessExecutableNotFoundError);
    }
    expect(binding.attached).toBe(0);
  });

  it('refuses what is no name and no absolute path', async () => {
    const { runtime } = fakeRuntime();
    const reason = new Error('mine');
    expect((await rejection(runtime.resolveExecutable('', {}, AbortSignal.abort(reason)))).message).toContain('must be non-empty');
    expect((await rejection(runtime.resolveExecutable('./x'))).message).toBe('"./x" is a relative path; use an absolute path or a bare PATH name');
    expect(await rejection(runtime.resolveExecutable('a\0'))).toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' });
    expect(await rejection(runtime.resolveExecutable('x', { A: '\0' }))).toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' });
  });

  it('rejects with the very reason, before it looks and while a lookup hangs (15, 16)', async () => {
    const { binding, runtime } = fakeRuntime();
    const reason = { why: 'mine' };
    expect(await rejection(runtime.resolveExecutable('tool', {}, AbortSignal.abort(reason)))).toBe(reason);
    expect(binding.attached).toBe(0);
    binding.lookup = () => new Promise(() => {});
    const controller = new AbortController();
    const lookup = rejection(runtime.resolveExecutable('tool', {}, controller.signal));
    controller.abort(reason);
    expect(await lookup).toBe(reason);
  });
});

describe('terminalEnvironment', () => {
  afterEach(() => vi.unstubAllGlobals());
  const stub = (env: Record<string, string>, platform: NodeJS.Platform = 'linux') => stubProcess({ env, platform });

  it('reads SHELL, else the account, at the call (34, 35, 39)', async () => {
    stub({ SHELL: '/bin/mine' });
    expect(await terminalEnvironment()).toEqual({ platform: 'posix', defaultShell: '/bin/mine' });
    stub({ SHELL: '' });
    expect((await terminalEnvironment()).defaultShell).toMatch(/^\//);
  });

  it('reads ComSpec on Windows; an unknown shell has no key (37)', async () => {
    stub({ ComSpec: 'C:\\cmd.exe' }, 'win32');
    expect(await terminalEnvironment()).toEqual({ platform: 'windows', defaultShell: 'C:\\cmd.exe' });
    stub({}, 'win32');
    expect(Object.keys(await terminalEnvironment())).toEqual(['platform']);
  });

  it('rejects with the very reason (38)', async () => {
    const reason = { why: 'mine' };
    expect(await rejection(terminalEnvironment(AbortSignal.abort(reason)))).toBe(reason);
  });
});
