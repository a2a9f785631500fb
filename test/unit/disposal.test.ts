import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { fakeRuntime, rejection, spec, stateOf } from './support/fake-binding.ts';

const exits = (): number => process.listenerCount('exit');
const before = exits();
/** Every test ends with what it mounted unmounted; otherwise the counts of the next one mean nothing. */
afterEach(() => expect(exits()).toBe(before));

describe('dispose', () => {
  it('terminates everything alive at once and waits for done and emptiness of each (184, 185)', async () => {
    const { binding, runtime } = fakeRuntime();
    for (let i = 0; i < 3; i++) runtime.spawn(spec);
    binding.finish(2);
    const disposal = runtime.dispose();
    expect(binding.ranges.map((range) => range.calls)).toEqual([['terminate'], [], ['terminate']]);
    binding.batch([1, 'started', 1, 'cgroup'], [1, 'empty', 'proven'], [3, 'started', 3, 'cgroup'], [3, 'settled', 0, 0, 'eof']);
    expect(await stateOf(disposal)).toBe('pending');
    binding.fact(1, 'settled', 0, 0, 'eof');
    expect(await stateOf(disposal)).toBe('pending');
    binding.fact(3, 'empty', 'proven');
    expect(await disposal).toBeUndefined();
  });

  it('is idempotent, and spawn afterwards throws DISPOSED (13)', async () => {
    const { runtime } = fakeRuntime();
    const first = runtime.dispose();
    expect(runtime.dispose()).toBe(first);
    expect(() => runtime.spawn(spec)).toThrow(expect.objectContaining({ code: 'DISPOSED' }));
    await first;
  });

  it('tolerates launches that fail, also meanwhile (187)', async () => {
    const { binding, runtime } = fakeRuntime();
    runtime.spawn(spec);
    const disposal = runtime.dispose();
    binding.fact(1, 'failed', 'ENOENT', 'resolve', 'execve', null);
    expect(await disposal).toBeUndefined();
  });

  it('reports one failure as it is, kills what failed, keeps the exit hook, and can be tried again (10, 186, 189, 190)', async () => {
    const { binding, runtime } = fakeRuntime();
    const handle = runtime.spawn(spec);
    runtime.spawn(spec);
    const mounted = exits();
    const disposal = rejection(runtime.dispose());
    binding.batch([1, 'started', 1, 'cgroup'], [1, 'lost', 'OWNER_LOST', 'gone']);
    binding.finish(2);
    const error = await disposal;
    expect(error).toBe(await rejection(handle.done));
    expect(binding.ranges.map((range) => range.calls)).toEqual([['terminate', 'kill'], ['terminate']]);
    expect(exits()).toBe(mounted);
    binding.fact(1, 'empty', 'observed');
    await runtime.dispose();
  });

  it('reports several failures together', async () => {
    const { binding, runtime } = fakeRuntime();
    runtime.spawn(spec);
    runtime.spawn(spec);
    const disposal = rejection(runtime.dispose());
    binding.batch([1, 'lost', 'OWNER_LOST', 'a'], [2, 'lost', 'OWNER_LOST', 'b']);
    const error = await disposal;
    expect(error).toBeInstanceOf(AggregateError);
    expect((error as unknown as AggregateError).errors.map((each: Error) => each.message)).toEqual(['a', 'b']);
    binding.batch([1, 'empty', 'observed'], [2, 'empty', 'observed']);
    await runtime.dispose();
  });

  it('destroys control channels that are open and waits until they are closed (211)', async () => {
    const { binding, runtime } = fakeRuntime();
    const handle = runtime.spawn({ ...spec, stdio: { ...spec.stdio, control: 'pipe' } });
    binding.finish(1);
    await runtime.dispose();
    expect([handle.control.destroyed, handle.control.closed]).toEqual([true, true]);
  });

  it('leaves collected output readable (192)', async () => {
    const { binding, runtime } = fakeRuntime();
    const handle = runtime.spawn(spec);
    binding.finish(1);
    await runtime.dispose();
    expect(handle.collected.stdout.readFrom(0).text).toBe('1@0');
  });
});

describe('the exit hook', () => {
  it('is one listener for all runtimes, in front, and gone with the last (7, 8, 12)', async () => {
    const other = (): void => {};
    process.on('exit', other);
    const mounted = exits();
    const all = Array.from({ length: 20 }, () => fakeRuntime());
    expect(exits()).toBe(mounted + 1);
    expect(process.listeners('exit').indexOf(other)).toBeGreaterThan(0);
    for (const { runtime } of all.slice(1)) await runtime.dispose();
    expect(exits()).toBe(mounted + 1);
    await all[0]?.runtime.dispose();
    expect(exits()).toBe(mounted);
    process.removeListener('exit', other);
  });

  it('kills what each engine owns, one that throws or was never loaded does not matter (200)', async () => {
    const all = [fakeRuntime(), fakeRuntime(), fakeRuntime()];
    for (const { runtime } of all.slice(0, 2)) runtime.spawn(spec);
    const [first, second, unused] = all.map(({ binding }) => binding);
    if (first !== undefined) first.onKillAll = () => { throw new Error('broken'); };
    const hook = process.listeners('exit')[0] as () => void;
    expect(hook).not.toThrow();
    expect([first?.killed, second?.killed, unused?.killed]).toEqual([1, 1, 0]);
    first?.finish(1);
    second?.finish(1);
    for (const { runtime } of all) await runtime.dispose();
  });

  it('leaves no listener on signals either', async () => {
    const { binding, runtime } = fakeRuntime();
    const controller = new AbortController();
    runtime.spawn({ ...spec, signal: controller.signal });
    binding.finish(1);
    await runtime.dispose();
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});
