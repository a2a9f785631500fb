import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../unit/support/fake-binding.ts';
import { collecting } from '../support/run.ts';

describe('disposal', () => {
  it('does not touch handles that have settled and are empty: nothing could be meant but a stranger (188)', async () => {
    const { binding, runtime } = fakeRuntime();
    const over = runtime.spawn(collecting(['true'], '/'));
    runtime.spawn(collecting(['true'], '/'));
    binding.finish(1);
    await over.waitForExit();
    const disposal = runtime.dispose();
    binding.finish(2);
    await disposal;
    expect(binding.ranges.map((range) => range.calls)).toEqual([[], ['terminate']]);
  });
});
