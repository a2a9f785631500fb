import { describe, expect, it } from 'vitest';
import type { ErrorRow } from '../../src/seam/error-table.ts';
import { ERROR_TABLE, SYSTEM_ERRORS } from '../../src/seam/error-table.ts';
import { errnoOf, outOfRange, SubprocessError, wrongType, wrongValue } from '../../src/seam/errors.ts';

describe('SubprocessError', () => {
  it('is an Error by name, has Node\'s shape, and no keys for what does not apply', () => {
    const error = new SubprocessError('m', { code: 'ENOENT', stage: 'launch', path: undefined });
    expect(error.name).toBe('Error');
    expect(error).toBeInstanceOf(Error);
    expect({ ...error }).toEqual({ code: 'ENOENT', errno: -2, stage: 'launch' });
    expect('cause' in error).toBe(false);
    expect(new SubprocessError('m', { code: 'ABORT_ERR', cause: undefined })).toHaveProperty('cause', undefined);
  });
});

describe('the error table', () => {
  it('has each code once, with a condition and a remedy', () => {
    const rows: readonly ErrorRow[] = ERROR_TABLE;
    expect(new Set(rows.map((row) => row.code)).size).toBe(rows.length);
    expect(SYSTEM_ERRORS.map((row) => errnoOf(row.code)).every((errno) => errno !== undefined)).toBe(true);
    for (const row of [...rows, ...SYSTEM_ERRORS]) expect([row.when, row.remedy].every((text) => text.endsWith('.'))).toBe(true);
  });

  it('names the class that each helper makes', () => {
    const made: [Error & { code?: string }, string][] = [
      [wrongType('a', 'b', 1), 'TypeError'], [wrongValue('a'), 'TypeError'], [outOfRange('a'), 'RangeError'],
    ];
    for (const [error, name] of made) {
      expect(error.name).toBe(name);
      expect(ERROR_TABLE.find((row) => row.code === error.code)?.class).toBe(name);
    }
  });
});
