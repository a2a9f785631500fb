import { Context } from '@deepseek-ai/cordis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EVERYTHING } from '../../support/dsh.ts';
import { FakeBinding, spec, stateOf } from '../../unit/support/fake-binding.ts';

// The adapter over an addon that does what a test tells it to: no real owner can be made to fail at will.
const addon = vi.hoisted(() => ({ binding: undefined as FakeBinding | undefined }));
vi.mock('../../../src/native.ts', () => ({ loadBinding: () => ({ binding: addon.binding, path: '/fake.node', napi: 8 }) }));

interface World {
  binding: FakeBinding;
  subprocess: import('../../../src/adapters/dsh.ts').LocalSubprocessRuntime;
  logged: { type: string; args: unknown[] }[];
  dispose: () => Promise<void>;
}
let world: World;
beforeEach(async () => {
  vi.resetModules();
  addon.binding = new FakeBinding();
  const { LocalSubprocessRuntime } = await import('../../../src/adapters/dsh.ts');
  const ctx = new Context();
  const logged: World['logged'] = [];
  ctx.logger.exporter({ levels: { default: EVERYTHING }, export: ({ type, args }) => { logged.push({ type, args }); } });
  const fiber = await ctx.plugin(LocalSubprocessRuntime);
  world = { binding: addon.binding, subprocess: ctx.get('subprocess') as World['subprocess'], logged, dispose: () => fiber.dispose() };
});
const exits = process.listenerCount('exit');
afterEach(() => { process.removeAllListeners('exit'); });

const calls = (): string[][] => world.binding.ranges.map((range) => range.calls);

describe('M. waitForExit that cannot observe', () => {
  it('178: it rejects when the owner is lost, for later calls too', async () => {
    const handle = world.subprocess.spawn(spec);
    world.binding.batch([1, 'started', 1, 'cgroup'], [1, 'lost', 'OWNER_LOST', 'gone', 'range']);
    for (let i = 0; i < 2; i++) await expect(handle.waitForExit()).rejects.toMatchObject({ code: 'OWNER_LOST', message: 'gone' });
  });

  it('179: a loss with nobody waiting is no unhandled rejection', async () => {
    const seen: unknown[] = [];
    const note = (error: unknown): void => { seen.push(error); };
    process.on('unhandledRejection', note);
    world.subprocess.spawn(spec);
    world.binding.batch([1, 'started', 1, 'cgroup'], [1, 'lost', 'OWNER_LOST', 'gone', 'range']);
    await new Promise((resolve) => { setImmediate(resolve); });
    process.off('unhandledRejection', note);
    expect(seen).toEqual([]);
  });
});

describe('N. disposal that fails', () => {
  it('186, 189: one failure does not stop the others, is logged as it is, and what failed is killed', async () => {
    for (let i = 0; i < 3; i++) world.subprocess.spawn(spec);
    const disposal = world.dispose();
    await new Promise((resolve) => { setImmediate(resolve); });
    world.binding.batch([2, 'started', 1, 'cgroup'], [2, 'lost', 'OWNER_LOST', 'gone', 'range']);
    world.binding.finish(1);
    world.binding.finish(3);
    await disposal;
    expect(calls()).toEqual([['terminate'], ['terminate', 'kill'], ['terminate']]);
    expect(world.logged).toEqual([{ type: 'error', args: [expect.objectContaining({ code: 'OWNER_LOST', message: 'gone' })] }]);
  });

  it('10: the listener stays for what failed', async () => {
    world.subprocess.spawn(spec);
    const mounted = process.listenerCount('exit');
    const disposal = world.dispose();
    await new Promise((resolve) => { setImmediate(resolve); });
    world.binding.batch([1, 'started', 1, 'cgroup'], [1, 'lost', 'OWNER_LOST', 'gone', 'range']);
    await disposal;
    expect([mounted - exits, process.listenerCount('exit') - exits]).toEqual([1, 1]);
  });

  it('190: a failed observation is not hidden behind a done that never comes', async () => {
    world.subprocess.spawn(spec);
    const disposal = world.dispose();
    await new Promise((resolve) => { setImmediate(resolve); });
    expect(await stateOf(disposal)).toBe('pending');
    world.binding.batch([1, 'started', 1, 'cgroup'], [1, 'lost', 'OWNER_LOST', 'gone', 'range']);
    await disposal;
    expect(world.logged).toHaveLength(1);
  });

  it('188: handles that have settled and are empty are not touched', async () => {
    world.subprocess.spawn(spec);
    world.subprocess.spawn(spec);
    world.binding.finish(1);
    const disposal = world.dispose();
    await new Promise((resolve) => { setImmediate(resolve); });
    world.binding.finish(2);
    await disposal;
    expect(calls()).toEqual([[], ['terminate']]);
  });

  it('200: at the host\'s exit everything is killed by one call, whose failure is contained', () => {
    world.subprocess.spawn(spec);
    world.binding.onKillAll = () => { throw new Error('broken'); };
    expect(process.listeners('exit')[0]).not.toThrow();
    expect(world.binding.killed).toBe(1);
  });
});

describe('Y. logging', () => {
  it('315: weaker containment is one warning, and only where emptiness is not proven', async () => {
    world.subprocess.spawn(spec);
    world.binding.batch([0, 'warning', 'by subreaper', 'subreaper', 'cgroup: none'], [0, 'warning', 'by group', 'group', 'cgroup: none; subreaper: none'], [0, 'warning', 'by group', 'group', 'the same']);
    expect(world.logged).toEqual([{ type: 'warn', args: ['subprocess-local is using weaker process-tree containment because cgroup: none; subreaper: none'] }]);
    world.binding.finish(1);
    await world.dispose();
  });
});
