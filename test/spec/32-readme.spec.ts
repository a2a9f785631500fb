import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { root } from '../support/paths.ts';
import { runNode } from '../support/cli.ts';

const readme = readFileSync(`${root}README.md`, 'utf8');

describe('README.md', () => {
  it('has an example of about twenty lines that runs and prints what it says', async () => {
    const [, example = ''] = /```js run\n([\s\S]*?)```/.exec(readme) ?? [];
    expect(example.split('\n').length).toBeLessThan(26);
    // Inside of the package, so that its name leads to itself.
    const folder = `${root}build/test`;
    const file = `${folder}/readme-example-${process.pid}.mjs`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, example);
    const { code, stdout, stderr } = await runNode([file]);
    rmSync(file);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.toString()).toMatch(/^exit code 0, last line 1000000\nsomething still runs\n1 ended, proven by (cgroup|subreaper)\n$/);
  });

  it('is short', () => {
    expect(readme.split('\n').length).toBeLessThan(120);
  });

  it.each(['README.md', 'docs/README.md', 'docs/design/launch.md', 'docs/design/owner.md', 'docs/design/drain.md'])('%s links only to files that are there', (page) => {
    for (const [, link] of readFileSync(`${root}${page}`, 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      expect(existsSync(new URL(link!, `file://${root}${page}`)), link).toBe(true);
    }
  });

  it('has the table that belongs to the committed results', async () => {
    const { code, stderr } = await runNode([`${root}scripts/readme-table.mjs`, '--check']);
    expect([code, stderr]).toEqual([0, '']);
  });
});

describe('docs/errors.md', () => {
  it('says what the tables of the source say', async () => {
    expect(await runNode([`${root}scripts/errors-doc.mjs`, '--check'])).toMatchObject({ code: 0, stderr: '' });
  });
});
