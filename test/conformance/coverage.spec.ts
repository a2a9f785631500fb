import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { root } from '../support/paths.ts';
import { BUGS, DSH_ITEMS, ELSEWHERE, ITEMS, NOT_HERE } from './items.ts';

/** Items in the parentheses at the end of test names of one file: `(12)`, `(7, 8)`, `(60-63)`. */
function numbersIn(text: string): number[] {
  const lists = [...text.matchAll(/\((\d+(?:(?:, |-)\d+)*)\)['"`]/g)].map((match) => match[1] as string);
  return lists.flatMap((list) => list.split(', ')).flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });
}

/** Item → files whose tests carry it. */
function coverage(): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const folder of ['unit', 'spec', 'conformance']) {
    const names = readdirSync(`${root}test/${folder}`).filter((name) => /\.(test|spec)\.ts$/.test(name));
    for (const name of names) {
      for (const item of new Set(numbersIn(readFileSync(`${root}test/${folder}/${name}`, 'utf8')))) {
        found.set(item, [...(found.get(item) ?? []), `${folder}/${name}`]);
      }
    }
  }
  return found;
}

describe('the conformance list', () => {
  it('has a test for every item that holds for the runtime alone', () => {
    const found = coverage();
    expect(ITEMS.filter((item) => !found.has(item) && !(item in ELSEWHERE))).toEqual([]);
  });

  it('excuses no item that a test carries', () => {
    const found = coverage();
    expect(Object.keys(ELSEWHERE).map(Number).filter((item) => found.has(item))).toEqual([]);
  });
});

describe('the conformance list, for holdfast/dsh', () => {
  it('has a test for every item, whose name begins with its number', () => {
    const folder = `${root}test/conformance/dsh/`;
    const tests = readdirSync(folder).flatMap((name) => [...readFileSync(folder + name, 'utf8').matchAll(/['"`](\d+(?:, \d+)*): /g)]);
    const carried = new Set(tests.flatMap((match) => (match[1] as string).split(', ').map(Number)));
    expect(DSH_ITEMS.filter((item) => !carried.has(item) && !(item in NOT_HERE))).toEqual([]);
    expect(Object.keys(NOT_HERE).map(Number).filter((item) => carried.has(item))).toEqual([]);
  });
});

describe('the log of faults', () => {
  it('has a test for every entry that concerns this runtime', () => {
    const names = readdirSync(`${root}test/spec`).filter((name) => name.includes('bug-log'));
    const carried = new Set(names.flatMap((name) => [...readFileSync(`${root}test/spec/${name}`, 'utf8').matchAll(/['"`](B\d{3}): /g)].map((match) => match[1])));
    expect(BUGS.filter((entry) => !carried.has(entry))).toEqual([]);
  });
});
