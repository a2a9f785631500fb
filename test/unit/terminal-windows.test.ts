import { describe, expect, it, vi } from 'vitest';
import type { Range } from '../../src/runtime/range.ts';
import { endForSignal } from '../../src/runtime/terminal/windows.ts';

const range = () => ({ terminate: vi.fn(), kill: vi.fn() });
const asRange = (fake: ReturnType<typeof range>): Range => fake as unknown as Range;

describe('a signal for a terminal on Windows', () => {
  it('SIGINT is left to the keyboard', () => {
    const fake = range();
    expect(endForSignal(asRange(fake), 'SIGINT')).toBe(false);
    expect(fake.terminate).not.toHaveBeenCalled();
    expect(fake.kill).not.toHaveBeenCalled();
  });

  it('SIGTERM and SIGKILL end the range', () => {
    const fake = range();
    expect(endForSignal(asRange(fake), 'SIGTERM')).toBe(true);
    expect(fake.terminate).toHaveBeenCalledOnce();
    expect(endForSignal(asRange(fake), 'SIGKILL')).toBe(true);
    expect(fake.kill).toHaveBeenCalledOnce();
  });

  it.each(['SIGTSTP', 'SIGHUP'] as const)('%s is refused, and nothing is ended', (signal) => {
    const fake = range();
    expect(() => endForSignal(asRange(fake), signal)).toThrow(expect.objectContaining({ code: 'ENOSYS', message: `${signal} is unsupported on Windows; only SIGINT, SIGTERM, and SIGKILL are available` }));
    expect(fake.terminate).not.toHaveBeenCalled();
    expect(fake.kill).not.toHaveBeenCalled();
  });
});
