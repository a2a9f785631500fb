import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TOPICS } from '../../dist/cli/arguments.js';
import { root } from '../support/paths.ts';
import { allBlocks, pages, readPage } from './blocks.ts';

const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { exports: Record<string, string | { types: string }> };

/** Entry points by the name that users import, with the file of their declarations. */
const entries = Object.entries(manifest.exports).flatMap(([path, target]) => (typeof target === 'string' ? [] : [[path.replace(/^\./, 'holdfast'), target.types] as const]));

/** What a file of declarations exports by name, types too. `export *` would hide names, and is not used. */
function exportedNames(declarations: string): string[] {
  const text = readFileSync(`${root}${declarations}`, 'utf8');
  expect(text).not.toContain('export *');
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) => list.split(','));
  const single = [...text.matchAll(/^export (?:declare )?(?:abstract )?(?:class|const|function|interface|type) (\w+)/gm)].map(([, name = '']) => name);
  return [...lists.map((name) => name.trim().split(/\s+as\s+/).at(-1) ?? ''), ...single].filter((name) => name !== '' && name !== 'default');
}

/** What the blocks that are compiled or run import from an entry, and use once more besides. */
function usedNames(entry: string): Set<string> {
  const used = new Set<string>();
  for (const { code } of allBlocks.filter(({ fate }) => fate === 'run' || fate === 'check')) {
    for (const [, main = '', list = ''] of code.matchAll(new RegExp(`^import (?:(\\w+)(?:, )?)?(?:\\{([^}]*)\\} )?from '${entry}';$`, 'gm'))) {
      const names = [main, ...list.split(',')].map((name) => name.trim().replace(/^type /, '')).filter((name) => name !== '');
      for (const name of names) if ((code.match(new RegExp(`\\b${name}\\b`, 'g')) ?? []).length > 1) used.add(name);
    }
  }
  return used;
}

describe('every public name', () => {
  it.each(entries)('of %s is used in an example that is compiled and run', (entry, declarations) => {
    const names = exportedNames(declarations);
    expect(names.length).toBeGreaterThan(0);
    const used = usedNames(entry);
    expect(names.filter((name) => !used.has(name))).toEqual([]);
  });

  it.each(TOPICS)('of the command line is named by the documents: holdfast %s', (verb) => {
    expect(pages.some((page) => readPage(page).includes(`holdfast ${verb}`))).toBe(true);
  });
});
