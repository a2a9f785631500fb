import { describe, expect, it } from 'vitest';
import { ScreenModes } from '../../src/cli/screen-modes.ts';

function resetsAfter(...chunks: string[]): string {
  const modes = new ScreenModes();
  for (const chunk of chunks) modes.watch(Buffer.from(chunk, 'latin1'));
  return modes.resets();
}

describe('the modes that a program leaves on the screen', () => {
  it('are taken back, each by its own opposite', () => {
    expect(resetsAfter('\x1b[?1049h\x1b[?25l text \x1b[?1000;1006h')).toBe('\x1b[?1049l\x1b[?25h\x1b[?1000l\x1b[?1006l\x1b[m');
  });

  it('are none after a program that cleans up, or that set none', () => {
    expect(resetsAfter('\x1b[?1049h\x1b[?25l', 'text', '\x1b[?25h\x1b[?1049l')).toBe('');
    expect(resetsAfter('\x1b[31mred\x1b[m', '\x1b]0;title\x07', '\x1b[?12h\x1b[?9999h')).toBe('');
  });

  it('are seen where a chunk ends in the middle of a sequence', () => {
    const text = 'x\x1b[?1049hy';
    for (let at = 0; at <= text.length; at++) expect(resetsAfter(text.slice(0, at), text.slice(at))).toBe('\x1b[?1049l\x1b[m');
    expect(resetsAfter(...text)).toBe('\x1b[?1049l\x1b[m');
  });

  it('cost no memory in a stream that never ends a sequence', () => {
    const modes = new ScreenModes();
    for (let i = 0; i < 1000; i++) modes.watch(Buffer.from(`\x1b[?${'1;'.repeat(50)}`));
    modes.watch(Buffer.from('\x1b[?25l'));
    expect(modes.resets()).toBe('\x1b[?25h\x1b[m');
  });
});
