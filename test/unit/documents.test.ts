import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { root } from '../support/paths.ts';

/** What the last column of each row of a table names: `file`: a part of its text, such as the name of a test. */
function named(document: string): { file: string; text: string }[] {
  const rows = readFileSync(root + document, 'utf8').split('\n').filter((line) => line.startsWith('| ') && line.includes('`test/'));
  return rows.flatMap((row) => (row.split(' | ').at(-1) as string).replace(/ \|$/, '').split('<br>')).map((entry) => {
    const [, file = '', text = ''] = /^`([^`]+)`: (.+)$/.exec(entry) ?? [];
    return { file, text };
  });
}

describe.each([['docs/bugs-survived.md', 50], ['SECURITY.md', 20]])('%s', (document, least) => {
  it('names tests that are there', () => {
    const tests = named(document);
    expect(tests.length).toBeGreaterThan(least);
    const missing = tests.filter(({ file, text }) => !existsSync(root + file) || !readFileSync(root + file, 'utf8').replaceAll("\\'", "'").includes(text));
    expect(missing).toEqual([]);
  });
});

describe('docs/bugs-survived.md', () => {
  it('has a row for each entry that a test names', () => {
    const rows = readFileSync(`${root}docs/bugs-survived.md`, 'utf8');
    const tests = named('docs/bugs-survived.md').flatMap(({ text }) => text.match(/\bB\d{3}\b/g) ?? []);
    for (const id of tests) expect(rows).toContain(`\n| ${id} | `);
  });
});
