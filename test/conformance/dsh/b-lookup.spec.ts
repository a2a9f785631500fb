import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compose, type Composition } from '../../support/dsh.ts';
import { leakFence } from '../../support/fence.ts';
import { rejection } from '../../support/run.ts';

const fence = leakFence();
let host: Composition;
let bin: string;
beforeAll(async () => {
  host = await compose();
  // Beside the fence's directory, in which nothing may stay.
  bin = mkdtempSync(join(dirname(fence.directory), 'holdfast-lookup-'));
  mkdirSync(join(bin, 'first/tool'), { recursive: true });
  mkdirSync(join(bin, 'second'));
  writeFileSync(join(bin, 'second/tool'), '#!/bin/sh\n');
  mkdirSync(join(bin, 'third'));
  writeFileSync(join(bin, 'third/tool'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(bin, 'third/a\\b'), '#!/bin/sh\n', { mode: 0o755 });
  symlinkSync('tool', join(bin, 'third/link'));
});
afterAll(async () => {
  await host.dispose();
  rmSync(bin, { recursive: true });
});

const find = (command: string, env?: Record<string, string>, signal?: AbortSignal): Promise<string> => host.subprocess.resolveExecutable(command, env, signal);
const miss = { name: 'SubprocessExecutableNotFoundError' };

describe('B. resolveExecutable', () => {
  it('14: an empty command is an error, before the signal is looked at', async () => {
    expect((await rejection(find('', {}, AbortSignal.abort()))).message).toContain('must be non-empty');
  });

  it('15: an aborted signal rejects with its very reason', async () => {
    const reason = { my: 'reason' };
    expect(await rejection(find('/no/such', {}, AbortSignal.abort(reason)))).toBe(reason);
  });

  it.each(['sh', 'no-such-program', '/bin/sh', '/no/such'])('16: an abort during the lookup of %s wins over its answer', async (command) => {
    const controller = new AbortController();
    const answer = rejection(find(command, {}, controller.signal));
    controller.abort('reason');
    expect(await answer).toBe('reason');
  });

  it('17: a relative path with a separator is refused, and not as a miss', async () => {
    const error = await rejection(find('./bin/"x"'));
    expect(error.message).toContain(`${JSON.stringify('./bin/"x"')} is a relative path; use an absolute path or a bare PATH name`);
    expect(error.name).not.toBe(miss.name);
  });

  it('18: a backslash is part of a bare name', async () => {
    expect(await find('a\\b', { PATH: join(bin, 'third') })).toBe(join(bin, 'third/a\\b'));
  });

  it('19: an absolute path that can be run is returned as it was given', async () => {
    expect(await find(`${bin}//third/../third/link`)).toBe(`${bin}//third/../third/link`);
  });

  it('20, 21: an absolute path that is missing, a directory or not executable is a miss', async () => {
    for (const path of ['/no/"such"', bin, join(bin, 'second/tool')]) {
      const error = await rejection(find(path));
      expect(error).toMatchObject({ ...miss, message: `${JSON.stringify(path)} is not an executable file` });
    }
  });

  it('22, 23: a bare name that is not there is a miss, by name and without a code', async () => {
    const error = await rejection(find('no-such-program'));
    expect(error).toMatchObject({ ...miss, message: '"no-such-program" was not found on PATH' });
    expect('code' in error).toBe(false);
  });

  it('24: directories and files that cannot be run are passed over; the first hit in the order of PATH wins', async () => {
    expect(await find('tool', { PATH: ['first', 'second', 'third'].map((one) => join(bin, one)).join(':') })).toBe(join(bin, 'third/tool'));
  });

  it('25: a link is followed for the check, and its own path is returned', async () => {
    expect(await find('link', { PATH: join(bin, 'third') })).toBe(join(bin, 'third/link'));
  });

  it('26: PATH is the host\'s, and an explicit one replaces it', async () => {
    expect(await find('sh')).toMatch(/^\/.*\/sh$/);
    expect(await rejection(find('sh', { PATH: join(bin, 'third') }))).toMatchObject(miss);
  });

  it('27: a relative entry of PATH starts at the host\'s working directory; the result is absolute', async () => {
    const found = await find('tool', { PATH: relative(process.cwd(), join(bin, 'third')) });
    expect([isAbsolute(found), resolve(found)]).toEqual([true, join(bin, 'third/tool')]);
  });

  it('28: an empty entry, and an empty or missing PATH, name no directory', async () => {
    for (const PATH of ['', ':', `:${join(bin, 'second')}:`]) expect(await rejection(find('package.json', { PATH }))).toMatchObject(miss);
    expect(await rejection(find('vitest.config.ts', { PATH: '' }))).toMatchObject(miss);
  });

  it('29: one execute bit is enough for root, which access knows and the bits of the owner do not', async () => {
    const path = join(bin, 'other-bit');
    writeFileSync(path, '#!/bin/sh\n');
    chmodSync(path, 0o601);
    const answer = find(path);
    if (process.getuid?.() === 0) expect(await answer).toBe(path);
    else expect(await rejection(answer)).toMatchObject(miss);
  });

  it('32: what could not be entered is a miss; a lookup that could not look has its own error', async () => {
    expect(await rejection(find(join(bin, 'third/tool/x')))).toMatchObject(miss);
    const loop = join(bin, 'loop');
    symlinkSync('loop', loop);
    expect(await rejection(find('x', { PATH: join(bin, 'third/tool') }))).toMatchObject(miss);
    expect(await rejection(find('x', { PATH: loop }))).toMatchObject({ code: 'ELOOP', name: 'Error' });
  });

  it('33: a lookup changes nothing of process.env', async () => {
    const before = { ...process.env };
    await find('sh', { PATH: '/bin', OTHER: 'x' });
    expect({ ...process.env }).toEqual(before);
  });
});
