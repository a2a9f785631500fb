import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime, MAX_TIMER_DELAY_MS } from '../support/holdfast.ts';
import { askHost } from '../support/host.ts';
import { collecting, run } from '../support/run.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();

/** What `spawn` throws for a good specification that is changed in one place. The command would leave a file. */
function refusal(change: Record<string, unknown>): Error & { code?: string } {
  const good = collecting(['/usr/bin/touch', 'launched'], fence.directory);
  try {
    // The types forbid every one of these; JavaScript does not.
    runtime.spawn({ ...good, ...change } as never);
  } catch (error) {
    expect(existsSync(join(fence.directory, 'launched'))).toBe(false);
    return error as Error & { code?: string };
  }
  throw new Error('spawn accepted it');
}

const stdio = (change: Record<string, unknown>): Record<string, unknown> => ({ stdio: { ...collecting([], '/').stdio, ...change } });

describe('spawn refuses, and launches nothing (64)', () => {
  it.each([0, -1, -0, Number.NaN, Number.POSITIVE_INFINITY, MAX_TIMER_DELAY_MS + 1, '1000', undefined, null, 1n])('graceMs %s (56)', (graceMs) => {
    const error = refusal({ graceMs });
    expect(error.message).toContain('graceMs');
    expect(['ERR_OUT_OF_RANGE', 'ERR_INVALID_ARG_TYPE', 'ERR_INVALID_ARG_VALUE']).toContain(error.code);
  });

  it('a grace beyond the longest timer by a RangeError that names the limit (56)', () => {
    const error = refusal({ graceMs: 2 ** 31 });
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toContain('2147483647');
  });

  it.each([[[]], [['']], [[undefined]], ['true'], [undefined], [[42]], [['true', 42]]])('argv %j (59)', (argv) => {
    const error = refusal({ argv });
    expect(error.message).toMatch(/argv|args\[|file/);
    expect(error.code).toMatch(/^ERR_INVALID_ARG_/);
  });

  it('NUL in the program, an argument, the directory, a name and a value, each by a TypeError that names the place (60-63)', () => {
    const at = (change: Record<string, unknown>): string => {
      const error = refusal(change);
      expect(error).toBeInstanceOf(TypeError);
      expect(error.code).toBe('ERR_INVALID_ARG_VALUE');
      return error.message;
    };
    expect(at({ argv: ['a\0b'] })).toMatch(/argv\[0\]|file/);
    expect(at({ argv: ['a', 'b', 'c\0'] })).toMatch(/argv\[2\]|args\[1\]/);
    expect(at({ cwd: '/tmp\0' })).toContain('cwd');
    expect(at({ env: { 'A\0': 'x' } })).toContain('env');
    expect(at({ env: { B: 'x\0' } })).toMatch(/env.*B/);
  });

  it.each([['', 'x'], ['A=B', 'x'], ['A', 1], ['A', null], ['A', true]])('the variable %j with value %j (55)', (name, value) => {
    const error = refusal({ env: { [name as string]: value } });
    expect(error.message).toContain('env');
    expect(error.code).toMatch(/^ERR_INVALID_ARG_/);
  });

  it.each(['', undefined, null, 5])('the directory %j (72)', (cwd) => {
    const error = refusal({ cwd });
    expect(error.message).toContain('cwd');
    expect(error.code).toMatch(/^ERR_INVALID_ARG_/);
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1', undefined])('maxBytes %s, for the tail and for the spill (66)', (maxBytes) => {
    for (const change of [stdio({ stdout: { maxBytes } }), stdio({ stderr: { maxBytes: 1, spill: { maxBytes } } })]) {
      const error = refusal(change);
      expect(error.message).toContain('maxBytes');
      expect(['ERR_OUT_OF_RANGE', 'ERR_INVALID_ARG_TYPE', 'ERR_INVALID_ARG_VALUE']).toContain(error.code);
    }
    if (typeof maxBytes === 'number') expect(refusal(stdio({ stdout: { maxBytes } }))).toBeInstanceOf(RangeError);
  });

  it.each([
    [{ stdin: 'inherit' }, 'stdin'], [{ stdin: undefined }, 'stdin'], [{ stdin: { data: 5 } }, 'stdin'],
    [{ stdout: 'ignore' }, 'stdout'], [{ stdout: undefined }, 'stdout'], [{ stderr: {} }, 'stderr'], [{ control: true }, 'control'],
  ])('the stream %j (64)', (change, name) => {
    const error = refusal(stdio(change));
    expect(error.message).toContain(name);
    expect(error.code).toMatch(/^ERR_/);
  });

  it.each(['HOLDFAST_SUBPROCESS_CONTROL', 'holdfast_Subprocess_Control'])('the reserved name %s, whether or not a control channel is asked for (51)', (name) => {
    for (const control of ['pipe', undefined]) {
      expect(refusal({ env: { [name]: 'pipe' }, ...stdio({ control }) }).message).toContain('reserved');
    }
  });

  it('a signal that is aborted already, with the reason in the message and as the cause (57)', () => {
    const reason = new Error('too late');
    const error = refusal({ signal: AbortSignal.abort(reason) });
    expect(error).toMatchObject({ code: 'ABORT_ERR', cause: reason });
    expect(error.message).toContain('too late');
  });

  it.each([null, { toString() { throw new Error('no'); } }])('a signal whose reason has no text (57, 58)', (reason) => {
    expect(refusal({ signal: AbortSignal.abort(reason) }).message).toContain('aborted');
  });

  it('the first fault in this order: grace, signal, argv, NUL, marker (64)', () => {
    const faults = { argv: [''], cwd: '/\0', env: { HOLDFAST_SUBPROCESS_CONTROL: 'pipe' }, signal: AbortSignal.abort(), graceMs: 0 };
    expect(refusal(faults).message).toContain('graceMs');
    expect(refusal({ ...faults, graceMs: 1 }).code).toBe('ABORT_ERR');
    expect(refusal({ ...faults, graceMs: 1, signal: undefined }).message).toContain('argv');
    expect(refusal({ ...faults, graceMs: 1, signal: undefined, argv: ['a'] }).message).toContain('cwd');
    expect(refusal({ ...faults, graceMs: 1, signal: undefined, argv: ['a'], cwd: '/' }).message).toContain('reserved');
  });
});

describe('spawn accepts', () => {
  it('a reserved name that is undefined, and optional members that are undefined (52)', async () => {
    const { outcome } = await run(runtime, ['/bin/true'], fence.directory, { env: { HOLDFAST_SUBPROCESS_CONTROL: undefined } });
    expect(outcome.exitCode).toBe(0);
    const handle = runtime.spawn({ ...collecting(['/bin/true'], fence.directory), env: undefined, signal: undefined });
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
    await handle.waitForExit();
  });

  it('the shortest and the longest grace', async () => {
    for (const graceMs of [Number.MIN_VALUE, 1, MAX_TIMER_DELAY_MS]) {
      const { outcome } = await run(runtime, ['/bin/true'], fence.directory, { graceMs });
      expect(outcome.exitCode).toBe(0);
    }
  });
});

describe('spawn elsewhere', () => {
  it('throws DISPOSED after disposal (13)', async () => {
    const short = new LocalSubprocessRuntime();
    await short.dispose();
    expect(() => short.spawn(collecting(['/bin/true'], '/'))).toThrow(expect.objectContaining({ code: 'DISPOSED' }));
  });

  it('throws ERR_ACCESS_DENIED where Node does not permit child processes', async () => {
    const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';
    const answer = await askHost<{ code: string }>('permission.mjs', [], { flags: ['--no-warnings', flag, '--allow-fs-read=*', '--allow-fs-write=*', '--allow-addons', '--allow-worker'] });
    expect(answer.code).toBe('ERR_ACCESS_DENIED');
  });
});
