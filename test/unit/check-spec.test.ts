import { describe, expect, it } from 'vitest';
import { checkSpec } from '../../src/runtime/check-spec.ts';
import { fakeRuntime, spec } from './support/fake-binding.ts';

/** What a specification with one fault throws. The types forbid these; plain JavaScript does not. */
function refusal(change: Record<string, unknown>): Error & { code?: string; cause?: unknown } {
  try {
    checkSpec({ ...spec, ...change } as never, 'HOLDFAST_SUBPROCESS_CONTROL');
  } catch (error) {
    return error as Error;
  }
  throw new Error('it was accepted');
}

const stdio = (change: Record<string, unknown>): Record<string, unknown> => ({ stdio: { ...spec.stdio, ...change } });

describe('a specification is refused for', () => {
  it.each([0, -1, Number.NaN, Infinity, 2 ** 31])('graceMs %s, with the limit (56)', (graceMs) => {
    const error = refusal({ graceMs });
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toContain('subprocess graceMs must be a positive finite number no greater than 2147483647');
    expect(error.code).toBe('ERR_OUT_OF_RANGE');
  });

  it('a grace that is no number', () => {
    expect(refusal({ graceMs: '5' })).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' });
  });

  it.each([
    [new Error('mine'), 'aborted before spawn: Error: mine'],
    ['text', 'aborted before spawn: text'],
    [null, 'aborted before spawn: aborted'],
    [{ toString: () => { throw new Error('no'); } }, 'aborted before spawn: aborted'],
  ])('a signal that is aborted, with reason %o (57, 58)', (reason, message) => {
    expect(refusal({ signal: AbortSignal.abort(reason) })).toMatchObject({ code: 'ABORT_ERR', name: 'AbortError', message, cause: reason });
  });

  it.each([
    [{ argv: [] }, 'ERR_INVALID_ARG_VALUE', 'invalid argv: expected a non-empty program name at argv[0]'],
    [{ argv: [''] }, 'ERR_INVALID_ARG_VALUE', 'argv[0]'],
    [{ argv: 'true' }, 'ERR_INVALID_ARG_TYPE', 'argv'],
    [{ argv: ['a', 5] }, 'ERR_INVALID_ARG_TYPE', 'options.argv[1]'],
    [{ argv: ['a\0'] }, 'ERR_INVALID_ARG_VALUE', "'file'"],
    [{ argv: ['a', 'b', '\0'] }, 'ERR_INVALID_ARG_VALUE', "'args[1]'"],
    [{ cwd: '/\0' }, 'ERR_INVALID_ARG_VALUE', "'options.cwd'"],
    [{ cwd: '' }, 'ERR_INVALID_ARG_VALUE', "'options.cwd'"],
    [{ cwd: undefined }, 'ERR_INVALID_ARG_TYPE', "'options.cwd'"],
    [{ env: { K: 'a\0' } }, 'ERR_INVALID_ARG_VALUE', "options.env['K']"],
    [{ env: { 'K\0': 'a' } }, 'ERR_INVALID_ARG_VALUE', 'options.env'],
    [{ env: { 'A=B': 'a' } }, 'ERR_INVALID_ARG_VALUE', "options.env['A=B']"],
    [{ env: { '': 'a' } }, 'ERR_INVALID_ARG_VALUE', "options.env['']"],
    [{ env: { K: 5 } }, 'ERR_INVALID_ARG_TYPE', "options.env['K']"],
    [{ env: { K: null } }, 'ERR_INVALID_ARG_TYPE', "options.env['K']"],
    [{ env: { holdfast_subprocess_CONTROL: 'pipe' } }, 'ERR_INVALID_ARG_VALUE', 'is reserved for subprocess control-channel setup'],
    [{ signal: {} }, 'ERR_INVALID_ARG_TYPE', 'options.signal'],
    [{ stdio: undefined }, 'ERR_INVALID_ARG_TYPE', 'options.stdio'],
    [stdio({ stdin: 'inherit' }), 'ERR_INVALID_ARG_VALUE', 'stdin'],
    [stdio({ stdin: { data: 1 } }), 'ERR_INVALID_ARG_TYPE', 'stdin.data'],
    [stdio({ stdout: 'ignore' }), 'ERR_INVALID_ARG_VALUE', 'stdout'],
    [stdio({ stderr: {} }), 'ERR_OUT_OF_RANGE', 'stderr.maxBytes'],
    [stdio({ stdout: { maxBytes: 1.5 } }), 'ERR_OUT_OF_RANGE', 'stdout.maxBytes'],
    [stdio({ stdout: { maxBytes: 1, spill: { maxBytes: -1 } } }), 'ERR_OUT_OF_RANGE', 'stdout.spill.maxBytes'],
    [stdio({ stdout: { maxBytes: 1, spill: true } }), 'ERR_INVALID_ARG_TYPE', 'stdout.spill'],
    [stdio({ control: true }), 'ERR_INVALID_ARG_VALUE', 'control'],
  ])('%j', (change, code, part) => {
    const error = refusal(change);
    expect(error.code).toBe(code);
    expect(error.message).toContain(part);
  });

  it('the first fault in the order of the contract (64)', () => {
    const faults = { graceMs: 0, signal: AbortSignal.abort(), argv: [''], cwd: '\0', env: { HOLDFAST_SUBPROCESS_CONTROL: 'x' } };
    expect(refusal(faults).message).toContain('graceMs');
    expect(refusal({ ...faults, graceMs: 1 }).code).toBe('ABORT_ERR');
    expect(refusal({ ...faults, graceMs: 1, signal: undefined }).message).toContain('argv');
    expect(refusal({ ...faults, graceMs: 1, signal: undefined, argv: ['a'] }).message).toContain('cwd');
    expect(refusal({ ...faults, graceMs: 1, signal: undefined, argv: ['a'], cwd: '/' }).message).toContain('reserved');
  });

  it('and never with the value of a variable in the message', () => {
    for (const value of ['geheim\0', { geheim: 1 }]) expect(refusal({ env: { K: value } }).message).not.toContain('geheim');
  });
});

describe('a specification is accepted', () => {
  it('with optional members that are undefined, the marker removed, and the limits of each number', () => {
    const good = { signal: undefined, env: { HOLDFAST_SUBPROCESS_CONTROL: undefined, A: '' }, graceMs: 2 ** 31 - 1 };
    const sizes = stdio({ control: undefined, stdout: { maxBytes: 0, spill: undefined }, stderr: { maxBytes: 2 ** 53 - 1, spill: { maxBytes: 0 } } });
    expect(() => checkSpec({ ...spec, ...good, ...sizes } as never, 'HOLDFAST_SUBPROCESS_CONTROL')).not.toThrow();
  });

  it('and a refused one starts nothing', () => {
    const { binding, runtime } = fakeRuntime();
    expect(() => runtime.spawn({ ...spec, cwd: '' })).toThrow();
    expect(binding.attached).toBe(0);
  });
});
