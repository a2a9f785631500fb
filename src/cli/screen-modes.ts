/** Private modes of a screen that outlive the program which changed them, with the letter that changes each. */
const CHANGED_BY: ReadonlyMap<string, 'h' | 'l'> = new Map([
  // Cursor keys, mouse, focus, pasting in brackets, the alternate screen.
  ...['1', '9', '1000', '1001', '1002', '1003', '1004', '1005', '1006', '1015', '1016', '2004', '47', '1047', '1049'].map((mode): [string, 'h'] => [mode, 'h']),
  // Wrapping at the margin, the cursor.
  ...['7', '25'].map((mode): [string, 'l'] => [mode, 'l']),
]);

/** The longest sequence that is waited for when a chunk ends in the middle of one. */
const LONGEST = 64;

/**
 * Watches what a program writes to the screen, to know which modes it leaves behind: one that is killed does not switch the
 * mouse off or the alternate screen back. It has to be asked before the user's own shell is on that screen again.
 */
export class ScreenModes {
  private readonly left = new Set<string>();
  private tail = '';

  watch(chunk: Uint8Array): void {
    const text = this.tail + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    for (const [, modes = '', end] of text.matchAll(/\x1b\[\?([\d;]+)([hl])/g)) {
      for (const mode of modes.split(';')) this.note(mode, end as 'h' | 'l');
    }
    const start = text.lastIndexOf('\x1b');
    const open = start >= 0 && text.length - start < LONGEST && /^\x1b(\[(\?[\d;]*)?)?$/.test(text.slice(start));
    this.tail = open ? text.slice(start) : '';
  }

  /** What to write so that the screen is as it was found; empty when nothing is left. */
  resets(): string {
    const sequences = [...this.left].map((mode) => `\x1b[?${mode}${CHANGED_BY.get(mode) === 'h' ? 'l' : 'h'}`);
    return sequences.length === 0 ? '' : `${sequences.join('')}\x1b[m`;
  }

  private note(mode: string, end: 'h' | 'l'): void {
    const changing = CHANGED_BY.get(mode);
    if (changing === undefined) return;
    if (end === changing) this.left.add(mode);
    else this.left.delete(mode);
  }
}
