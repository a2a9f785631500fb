import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { fakeRuntime, spec } from './support/fake-binding.ts';

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe('a signal that many commands share', () => {
  it('carries one listener however many follow it, and none when they are over', () => {
    const { binding, runtime } = fakeRuntime();
    const { signal } = new AbortController();
    for (let i = 0; i < 50; i++) runtime.spawn({ ...spec, signal });
    expect(listeners(signal)).toBe(1);
    for (let id = 1; id <= 49; id++) binding.finish(id);
    expect(listeners(signal)).toBe(1);
    binding.fact(50, 'failed', 'ENOENT', 'resolve', 'execve', null);
    expect(listeners(signal)).toBe(0);
  });

  it('terminates each that is alive', () => {
    const { binding, runtime } = fakeRuntime();
    const controller = new AbortController();
    for (let i = 0; i < 3; i++) runtime.spawn({ ...spec, signal: controller.signal });
    binding.finish(2);
    controller.abort();
    expect(binding.ranges.map((range) => range.calls)).toEqual([['terminate'], [], ['terminate']]);
    expect(listeners(controller.signal)).toBe(0);
  });

  it('stops being followed when the range is empty, although output is still drained', () => {
    const { binding, runtime } = fakeRuntime();
    const { signal } = new AbortController();
    runtime.spawn({ ...spec, signal });
    binding.batch([1, 'started', 1, 'cgroup'], [1, 'empty', 'proven']);
    expect(listeners(signal)).toBe(0);
  });

  it('and waits: nothing is left of a wait that ended either way', async () => {
    const { binding, runtime } = fakeRuntime();
    const handle = runtime.spawn(spec);
    const controller = new AbortController();
    const waits = Array.from({ length: 30 }, () => handle.waitForExit(controller.signal));
    expect(listeners(controller.signal)).toBe(1);
    controller.abort();
    expect(new Set(await Promise.all(waits))).toEqual(new Set([false]));
    const other = new AbortController();
    const wait = handle.waitForExit(other.signal);
    binding.finish(1);
    expect(await wait).toBe(true);
    expect(listeners(other.signal)).toBe(0);
  });
});
