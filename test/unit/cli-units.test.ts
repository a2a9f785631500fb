import { describe, expect, it } from 'vitest';
import { formatBytes, formatRate, formatTime, parseSize, parseTime } from '../../src/cli/units.js';

describe('sizes', () => {
  it.each([
    ['0', 0],
    ['512', 512],
    ['512b', 512],
    ['64k', 65_536],
    ['64K', 65_536],
    ['64kb', 65_536],
    ['64KiB', 65_536],
    ['1.5m', 1_572_864],
    ['1g', 1_073_741_824],
    ['8t', 8_796_093_022_208],
  ])('%s is %d bytes', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  it.each(['', 'k', '-1', '1e3', '64 k', '64x', '0x10', '.5k', 'Infinity'])('%j is refused with the form that is accepted', (text) => {
    expect(() => parseSize(text)).toThrow(/such as 64k/);
  });

  it('refuses what no offset can count', () => {
    expect(() => parseSize('9000t')).toThrow(/more than a file can hold/);
  });
});

describe('times', () => {
  it.each([
    ['200ms', 200],
    ['5s', 5000],
    ['0.25s', 250],
    ['1.5m', 90_000],
    ['2h', 7_200_000],
  ])('%s is %d ms', (text, ms) => {
    expect(parseTime(text, 2 ** 31 - 1)).toBe(ms);
  });

  it('a bare number is refused, because tools disagree about its unit', () => {
    expect(() => parseTime('30', 2 ** 31 - 1)).toThrow('has no unit; write 30s or 30ms');
  });

  it.each(['', '5', '-5s', '5 s', '5S', 's', '5d'])('%j is refused', (text) => {
    expect(() => parseTime(text, 2 ** 31 - 1)).toThrow(RangeError);
  });

  it('refuses nothing at all and more than a timer can wait', () => {
    expect(() => parseTime('0s', 1000)).toThrow(/too short/);
    expect(() => parseTime('0.4ms', 1000)).toThrow(/too short/);
    expect(() => parseTime('1001ms', 1000)).toThrow(/longest time is 1000ms/);
  });
});

describe('what is shown', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.00 kB'],
    [9995, '10.0 kB'],
    [12_345, '12.3 kB'],
    [999_499, '999 kB'],
    [999_500, '1.00 MB'],
    [3_210_000_000, '3.21 GB'],
    [2e18, '2000 PB'],
  ])('%d bytes: %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it('a rate is bytes per second', () => {
    expect(formatRate(1.2e9)).toBe('1.20 GB/s');
  });

  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [999.9, '1.0 s'],
    [59_949, '59.9 s'],
    [59_960, '1:00'],
    [3_723_000, '1:02:03'],
  ])('%d ms: %s', (ms, text) => {
    expect(formatTime(ms)).toBe(text);
  });
});
