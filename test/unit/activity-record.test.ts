import { describe, expect, it } from 'vitest';
import { parseRecord, RECORD_BYTES } from '../../src/runtime/terminal/activity/record.ts';

const text = (kind: string, pid: string, prompt: string): string => `${kind.padEnd(8)}${pid.padStart(10, '0')}${prompt.padStart(10, '0')}\n`;

describe('a record of a shell', () => {
  it('has a kind, a process and the number of its prompt', () => {
    for (const kind of ['prompt', 'trapped', 'command', 'lost']) {
      expect(text(kind, '4194303', '12')).toHaveLength(RECORD_BYTES);
      expect(parseRecord(text(kind, '4194303', '12'))).toEqual({ kind, pid: 4194303, prompt: 12 });
    }
  });

  it('is none before the first was written, or when it is cut short or anything else', () => {
    const whole = text('prompt', '5', '1');
    for (const bad of ['', ' '.repeat(RECORD_BYTES - 1) + '\n', whole.slice(1), whole.slice(0, -1), `${whole} `, text('prompt', '-5', '1'), text('idle', '5', '1'), text('prompt', '0x5', '1')]) {
      expect(parseRecord(bad)).toBeUndefined();
    }
  });
});
