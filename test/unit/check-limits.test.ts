import { describe, expect, it } from 'vitest';
import { checkLimits } from '../../src/runtime/check-limits.ts';
import { requestLaunch } from '../../src/runtime/request.ts';
import type { RequestExtras } from '../../src/binding.ts';
import { FakeBinding } from './support/fake-binding.ts';
import type { SubprocessLimits } from '../../src/seam/spec.ts';
import { checkOptions } from '../../src/runtime/options.ts';

const collect = { maxBytes: 10 };
const spec = { argv: ['true'], cwd: '/', graceMs: 1, stdio: { stdin: 'ignore', stdout: collect, stderr: collect } } as const;

describe('limits', () => {
  it.each([[undefined], [{}], [{ memoryBytes: 1, processes: 1, cpus: 0.01 }], [{ memoryBytes: undefined, processes: 4_194_304, cpus: 100_000 }], [{ memoryBytes: Number.MAX_SAFE_INTEGER }]])('%j are possible', (limits) => {
    expect(() => checkLimits(limits)).not.toThrow();
  });

  it.each([
    [5, 'ERR_INVALID_ARG_TYPE', 'options.limits'],
    [null, 'ERR_INVALID_ARG_TYPE', 'options.limits'],
    [{ memoryBytes: '64m' }, 'ERR_INVALID_ARG_TYPE', 'options.limits.memoryBytes'],
    [{ memoryBytes: 0 }, 'ERR_OUT_OF_RANGE', 'options.limits.memoryBytes'],
    [{ memoryBytes: 1.5 }, 'ERR_OUT_OF_RANGE', 'options.limits.memoryBytes'],
    [{ memoryBytes: Number.POSITIVE_INFINITY }, 'ERR_OUT_OF_RANGE', 'options.limits.memoryBytes'],
    [{ processes: 0 }, 'ERR_OUT_OF_RANGE', 'options.limits.processes'],
    [{ processes: 4_194_305 }, 'ERR_OUT_OF_RANGE', 'options.limits.processes'],
    [{ cpus: 0.001 }, 'ERR_OUT_OF_RANGE', 'options.limits.cpus'],
    [{ cpus: Number.NaN }, 'ERR_OUT_OF_RANGE', 'options.limits.cpus'],
  ])('%j are not', (limits, code, name) => {
    expect(() => checkLimits(limits)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(name) }));
  });

  it('become what the kernel counts in; what is not limited is absent', () => {
    const extrasOf = (limits: SubprocessLimits | undefined): RequestExtras | undefined => {
      const binding = new FakeBinding();
      requestLaunch(binding, { ...spec, limits }, checkOptions({}));
      return binding.lastRange.request.extras;
    };
    expect(extrasOf({ memoryBytes: 4096, processes: 7, cpus: 1.5 })?.limits).toEqual({ memoryBytes: 4096, processes: 7, cpuMicroseconds: 150_000 });
    expect(extrasOf({ cpus: undefined })?.limits).toEqual({});
    expect(extrasOf(undefined)).toBeUndefined();
  });
});
