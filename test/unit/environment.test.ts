import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hostDirectory, requestLaunch } from '../../src/runtime/request.ts';
import { checkOptions } from '../../src/runtime/options.ts';
import { childEnvironment, pathOf, scrubbedParentEnv, SENSITIVE_ENV_PATTERN } from '../../src/seam/environment.ts';
import { FakeBinding, spec } from './support/fake-binding.ts';
import type { UnpackedRequest } from './support/unpack.ts';
import type { SubprocessSpawnSpec } from '../../src/seam/spec.ts';
import { stubProcess } from './support/stub-process.ts';

beforeEach(() => {
  const names = { PATH: '/bin', HOME: '/root', KEYBOARD_LAYOUT: 'de', my_Token: 'x', HOLDFAST_X: 'x', Holdfast_y: 'x', DSH_Z: 'z', MY_PASSPHRASE: 'p' };
  stubProcess({ env: names, platform: 'linux' });
});
afterEach(() => vi.unstubAllGlobals());

const rest = { PATH: '/bin', HOME: '/root', MY_PASSPHRASE: 'p' };

describe('scrubbedParentEnv', () => {
  it('drops names that look like credentials and the managed prefix, in any case', () => {
    expect(scrubbedParentEnv()).toEqual({ ...rest, DSH_Z: 'z' });
    expect(scrubbedParentEnv('DSH_')).toEqual({ ...rest, HOLDFAST_X: 'x', Holdfast_y: 'x' });
    expect(SENSITIVE_ENV_PATTERN.test('KEYBOARD_LAYOUT')).toBe(true);
  });

  it('passes on which binary and which warden the host uses', () => {
    Object.assign(process.env, { HOLDFAST_BINDING: '/b.node', HOLDFAST_WARDEN: '/w' });
    expect(scrubbedParentEnv()).toMatchObject({ HOLDFAST_BINDING: '/b.node', HOLDFAST_WARDEN: '/w' });
  });

  it('keeps a variable called __proto__ a variable', () => {
    process.env = Object.fromEntries([['A', '1']]) as NodeJS.ProcessEnv;
    Object.defineProperty(process.env, '__proto__', { value: 'x', enumerable: true });
    const env = scrubbedParentEnv();
    expect(Object.entries(env)).toEqual([['A', '1'], ['__proto__', 'x']]);
    expect(Object.getPrototypeOf(env)).toBe(Object.prototype);
  });
});

describe('childEnvironment', () => {
  it('lets a string win over the scrub, removes with undefined, keeps an empty value', () => {
    expect(childEnvironment('HOLDFAST_', { HOME: undefined, my_Token: 't', HOLDFAST_X: 'f', E: '' })).toEqual({
      PATH: '/bin', MY_PASSPHRASE: 'p', DSH_Z: 'z', my_Token: 't', HOLDFAST_X: 'f', E: '',
    });
  });

  it('keeps names apart that differ in case, except on Windows, where the caller\'s spelling stays', () => {
    expect(childEnvironment('HOLDFAST_', { Path: '/x' })).toMatchObject({ PATH: '/bin', Path: '/x' });
    stubProcess({ platform: 'win32' });
    const env = childEnvironment('HOLDFAST_', { Path: 'C:\\x', home: undefined });
    expect(env).toEqual({ Path: 'C:\\x', MY_PASSPHRASE: 'p', DSH_Z: 'z' });
    expect(pathOf(env)).toBe('C:\\x');
  });

  it.each([{ 'A=': 'x' }, { '': 'x' }, { A: 'x\0' }, { A: 5 }])('refuses %j', (env) => {
    expect(() => childEnvironment('HOLDFAST_', env as never)).toThrow(TypeError);
  });
});

describe('a request', () => {
  const settings = checkOptions({ spillDirectory: '/spills', prefix: 'DSH_', ownership: ['group'] });

  const requestOf = (more: Partial<SubprocessSpawnSpec> = {}): UnpackedRequest => {
    const binding = new FakeBinding();
    requestLaunch(binding, { ...spec, ...more }, settings);
    return binding.lastRange.request;
  };

  it('carries arguments and environment, and everything absolute', () => {
    expect(requestOf({ argv: ['sh', '', 'ü'], cwd: 'sub/../x', env: { A: 'ä=1' } })).toEqual({
      argv: ['sh', '', 'ü'],
      env: ['PATH=/bin', 'HOME=/root', 'HOLDFAST_X=x', 'Holdfast_y=x', 'MY_PASSPHRASE=p', 'A=ä=1'],
      unset: [],
      base: '/bin',
      hostCwd: process.cwd(),
      cwd: `${process.cwd()}/sub/../x`,
      graceMs: spec.graceMs,
      owners: 'group',
      named: 1,
      mayWeaken: false,
      stdinPipe: false,
      stdout: { maxBytes: 100, spillMaxBytes: undefined },
      stderr: { maxBytes: 100, spillMaxBytes: undefined },
      extras: undefined,
    });
  });

  it('says where to spill exactly when something can spill', () => {
    const stderr = { maxBytes: 100, spill: { maxBytes: 1000 } };
    expect(requestOf({ stdio: { ...spec.stdio, stderr } })).toMatchObject({
      stderr: { maxBytes: 100, spillMaxBytes: 1000 },
      extras: { spillDirectory: '/spills', spillPrefix: 'dsh-' },
    });
  });

  it('announces the control channel exactly when it is asked for (53)', () => {
    const request = requestOf({ stdio: { ...spec.stdio, control: 'pipe' } });
    expect(request.extras).toMatchObject({ control: true });
    expect(request.env).toContain('DSH_SUBPROCESS_CONTROL=pipe');
    expect(requestOf().env.join()).not.toContain('CONTROL');
  });

  it('refuses an environment that an object other than process.env has and no process can have', () => {
    Object.assign(process.env, { A: 'x\0' });
    expect(() => requestOf()).toThrow(TypeError);
  });

  it('can start in an absolute directory when the host\'s own is gone, and only there', () => {
    stubProcess({ cwd: () => { throw new Error('uv_cwd'); } });
    expect(requestOf({ cwd: '/x' })).toMatchObject({ cwd: '/x', hostCwd: '/dev/null' });
    expect(() => hostDirectory(false)).toThrow('uv_cwd');
  });
});
