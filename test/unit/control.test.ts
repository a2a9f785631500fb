import { afterEach, describe, expect, it } from 'vitest';
import { controlMarker, openInheritedControlChannel, SUBPROCESS_CONTROL_FD } from '../../src/control.ts';

// The channel itself is tested in a child that has one; see test/spec.
describe('openInheritedControlChannel without a channel', () => {
  afterEach(() => { delete process.env.HOLDFAST_SUBPROCESS_CONTROL; });

  it('throws, with the variable and the descriptor that it needs', () => {
    expect(() => openInheritedControlChannel()).toThrow('subprocess control channel was not inherited');
    expect(() => openInheritedControlChannel('DSH_')).toThrow('DSH_SUBPROCESS_CONTROL=pipe and descriptor 7');
  });

  it('consumes a marker that says something else (207)', () => {
    process.env.HOLDFAST_SUBPROCESS_CONTROL = 'overlapped';
    expect(() => openInheritedControlChannel()).toThrow('was not inherited');
    expect(process.env.HOLDFAST_SUBPROCESS_CONTROL).toBeUndefined();
  });

  it('has fixed names', () => {
    expect([SUBPROCESS_CONTROL_FD, controlMarker(), controlMarker('QILIN_')]).toEqual([7, 'HOLDFAST_SUBPROCESS_CONTROL', 'QILIN_SUBPROCESS_CONTROL']);
  });
});
