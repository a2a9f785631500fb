import { describe, expect, it } from 'vitest';
import { fakeRuntime, rejection, spec } from './support/fake-binding.ts';
import { RuntimeCore } from '../../src/runtime/core.ts';
import { checkOptions } from '../../src/runtime/options.ts';

describe('a weaker owner', () => {
  it('is told once, also to a runtime that comes later, and not to one that allows none', async () => {
    const heard: string[] = [];
    const { binding, engine, runtime } = fakeRuntime({ onWarning: (message) => heard.push(`first: ${message}`) });
    const later = new RuntimeCore(checkOptions({ onWarning: (message) => heard.push(`later: ${message}`) }), engine);
    const strict = new RuntimeCore(checkOptions({ ownership: 'group', onWarning: (message) => heard.push(`strict: ${message}`) }), engine);
    runtime.spawn(spec);
    strict.spawn(spec);
    binding.batch([0, 'warning', 'weak', 'group', 'cgroup: none'], [0, 'warning', 'weak', 'group', 'cgroup: none']);
    expect(heard).toEqual(['first: weak']);
    later.spawn(spec);
    expect(heard).toEqual(['first: weak', 'later: weak']);
    for (const id of [1, 2, 3]) binding.finish(id);
    await Promise.all([runtime.dispose(), later.dispose(), strict.dispose()]);
    binding.fact(0, 'warning', 'too late');
    expect(heard).toHaveLength(2);
  });

  it('does not lose the facts of others when the one who is told throws (135)', async () => {
    const { binding, runtime } = fakeRuntime({ onWarning: () => { throw new Error('logger'); } });
    const handle = runtime.spawn(spec);
    binding.batch([0, 'warning', 'weak', 'group', 'cgroup: none'], [1, 'settled', 3, 0, 'eof'], [1, 'empty', 'observed']);
    expect(await handle.done).toEqual({ exitCode: 3, signal: null });
    await runtime.dispose();
  });

  it('is a process warning by default, each message once', async () => {
    const seen: (Error & { code?: string })[] = [];
    const note = (warning: Error): void => { seen.push(warning); };
    process.on('warning', note);
    for (let i = 0; i < 2; i++) {
      const { binding, runtime } = fakeRuntime({ onWarning: undefined });
      runtime.spawn(spec);
      binding.fact(0, 'warning', 'weak by default');
      binding.finish(1);
      await runtime.dispose();
    }
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);
    expect(seen.map(({ name, code, message }) => ({ name, code, message }))).toEqual([
      { name: 'HoldfastWarning', code: 'HOLDFAST_WEAKER_OWNER', message: 'weak by default' },
    ]);
  });
});

describe('what is not there', () => {
  it('diagnose adds where the binary lies', async () => {
    const { runtime } = fakeRuntime();
    expect(await runtime.diagnose()).toEqual({ owners: [], chosen: 'group', warden: { from: 'none' }, kernel: {}, limits: {}, binary: { path: '/fake.node', napi: 8 } });
    await runtime.dispose();
  });

  it('a permission to start processes makes spawn throw before anything is loaded', async () => {
    const { binding, runtime } = fakeRuntime();
    const has = (what: string): boolean => what !== 'child';
    Object.defineProperty(process, 'permission', { value: { has }, configurable: true });
    try {
      expect(() => runtime.spawn(spec)).toThrow(expect.objectContaining({ code: 'ERR_ACCESS_DENIED' }));
    } finally {
      Reflect.deleteProperty(process, 'permission');
    }
    expect(binding.attached).toBe(0);
    await runtime.dispose();
  });

  it('the binary is asked for again at the next spawn', async () => {
    const { engine, runtime } = fakeRuntime();
    Object.defineProperty(engine, 'load', { value: () => { throw new Error('no binary'); } });
    expect(() => runtime.spawn(spec)).toThrow('no binary');
    expect(await rejection(runtime.diagnose())).toMatchObject({ message: 'no binary' });
    await runtime.dispose();
  });
});
