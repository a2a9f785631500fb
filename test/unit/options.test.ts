import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkOptions } from '../../src/runtime/options.ts';
import { LocalSubprocessRuntime } from '../../src/runtime/local.ts';

const check = (options: Record<string, unknown>) => checkOptions(options as never);

describe('options', () => {
  it('have defaults, also when they are undefined', () => {
    const expected = {
      prefix: 'HOLDFAST_', owners: ['cgroup', 'scope', 'subreaper', 'group'], named: 0, mayWeaken: true, spillDirectory: tmpdir(), removeSpillOnDispose: false, spillMaxAgeMs: undefined,
    };
    expect(check({})).toMatchObject(expected);
    expect(check({ prefix: undefined, ownership: undefined, spillDirectory: undefined, onWarning: undefined })).toMatchObject(expected);
  });

  it.each([
    ['auto', ['cgroup', 'scope', 'subreaper', 'group'], 0, true],
    ['group', ['group'], 1, false],
    [['subreaper', 'cgroup', 'subreaper'], ['subreaper', 'cgroup'], 2, false],
    [['scope', 'auto'], ['scope', 'cgroup', 'subreaper', 'group'], 1, true],
    [['subreaper', 'auto'], ['subreaper', 'cgroup', 'scope', 'group'], 1, true],
  ])('ownership %j becomes %j, of which %i are named; others allowed: %s', (ownership, owners, named, mayWeaken) => {
    expect(check({ ownership })).toMatchObject({ owners, named, mayWeaken });
  });

  it.each([
    ['darwin', ['group'], 'node-pty'],
    ['win32', ['job'], 'native'],
    ['linux', ['cgroup', 'scope', 'subreaper', 'group'], 'native'],
  ])('on %s auto stands for %j, and terminals are made by %s', (platform, owners, terminalBackend) => {
    const genuine = process.platform;
    Object.defineProperty(process, 'platform', { value: platform });
    try {
      expect(check({})).toMatchObject({ owners, named: 0, mayWeaken: true, terminalBackend });
    } finally {
      Object.defineProperty(process, 'platform', { value: genuine });
    }
  });

  it('take a relative spill directory from the working directory', () => {
    expect(check({ spillDirectory: 'spills' }).spillDirectory).toBe(resolve('spills'));
  });

  it.each([
    [{ prefix: '' }, 'ERR_INVALID_ARG_VALUE', 'prefix'],
    [{ prefix: 'A-B' }, 'ERR_INVALID_ARG_VALUE', 'prefix'],
    [{ prefix: 5 }, 'ERR_INVALID_ARG_TYPE', 'prefix'],
    [{ ownership: [] }, 'ERR_INVALID_ARG_VALUE', 'ownership'],
    [{ ownership: 'docker' }, 'ERR_INVALID_ARG_VALUE', '"docker"'],
    [{ ownership: ['auto', 'group'] }, 'ERR_INVALID_ARG_VALUE', 'last'],
    [{ ownership: 5 }, 'ERR_INVALID_ARG_TYPE', 'ownership'],
    [{ spillDirectory: '' }, 'ERR_INVALID_ARG_VALUE', 'spillDirectory'],
    [{ spillDirectory: 5 }, 'ERR_INVALID_ARG_TYPE', 'spillDirectory'],
    [{ removeSpillOnDispose: 1 }, 'ERR_INVALID_ARG_TYPE', 'removeSpillOnDispose'],
    [{ spillMaxAgeMs: -1 }, 'ERR_OUT_OF_RANGE', 'spillMaxAgeMs'],
    [{ spillMaxAgeMs: Infinity }, 'ERR_OUT_OF_RANGE', 'spillMaxAgeMs'],
    [{ spillMaxAgeMs: '1' }, 'ERR_INVALID_ARG_TYPE', 'spillMaxAgeMs'],
    [{ onWarning: 'log' }, 'ERR_INVALID_ARG_TYPE', 'onWarning'],
  ])('%j is refused', (options, code, part) => {
    const before = process.listenerCount('exit');
    expect(() => new LocalSubprocessRuntime(options as never)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(part) }));
    expect(process.listenerCount('exit')).toBe(before);
  });
});
