import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runNode } from '../support/cli.ts';
import { root } from '../support/paths.ts';
import { allBlocks, type Block, pages, readPage } from './blocks.ts';
import { compiledBlocks } from './compile.ts';

let compiled: Map<string, string>;
beforeAll(() => { compiled = compiledBlocks(); });

/** Inside of the package, so that its name leads to itself; the spill files of examples go away with the directory. */
async function runBlock({ at, language, code }: Block): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const folder = `${root}build/test/docs`;
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, 'block-'));
  const spills = mkdtempSync(join(tmpdir(), 'holdfast-docs-'));
  const env = { TMPDIR: spills };
  try {
    const file = join(work, language === 'sh' ? 'block.sh' : 'block.mjs');
    writeFileSync(file, compiled.get(at) ?? code);
    if (language !== 'sh') {
      const result = await runNode([file], { env });
      return { ...result, stdout: result.stdout.toString() };
    }
    const { status, stdout, stderr } = spawnSync('bash', ['-eu', file], { cwd: work, env: { ...process.env, ...env }, timeout: 200_000, encoding: 'utf8' });
    // A shell tells on stderr that a process of its was killed; that is what such a block is about.
    return { code: status, stdout, stderr: stderr.replace(/^.*: line \d+:\s+\d+ Killed[\s\S]*$/, '') };
  } finally {
    rmSync(work, { recursive: true });
    rmSync(spills, { recursive: true });
  }
}

/** What a block says that it prints: the comments behind its console.log lines. */
function promised(code: string): string[] {
  return [...code.matchAll(/^console\.log\(.*; \/\/ (.+)$/gm)].map(([, text = '']) => text);
}

const same = (text: string): string => text.replace(/\s+/g, ' ').trim();

describe('blocks', () => {
  it.each(allBlocks.filter(({ fate }) => fate === 'run').map((block) => [block.at, block] as const))('%s runs and prints what it says', async (_, block) => {
    const { code, stdout, stderr } = await runBlock(block);
    expect([code, stderr]).toEqual([0, '']);
    for (const text of promised(block.code)) expect(same(stdout)).toContain(same(text));
  });

  it('are run, or say why they cannot be: containers, registries, what takes minutes, and a package on no public registry', () => {
    expect(allBlocks.filter(({ fate }) => fate === undefined).map(({ at }) => at)).toEqual([]);
    expect(allBlocks.filter(({ fate }) => fate === 'not run').length).toBe(5);
    expect(allBlocks.filter(({ fate }) => fate === 'check').length).toBe(1);
  });

  it.each(pages)('of JSON in %s are JSON', (page) => {
    for (const [, text = ''] of readPage(page).matchAll(/^```json\n([\s\S]*?)^```$/gm)) JSON.parse(text);
  });
});

/** Anchors as GitHub makes them of headings. */
function anchors(page: string): Set<string> {
  return new Set([...readPage(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')));
}

describe('links', () => {
  it.each(pages)('%s leads only to what is there', (page) => {
    const text = readPage(page).replace(/^```[\s\S]*?^```$/gm, '');
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [path = '', anchor] = target.split('#');
      const to = path === '' ? page : posix.normalize(posix.join(dirname(page), path));
      expect(existsSync(`${root}${to}`), `${target} in ${page}`).toBe(true);
      if (anchor !== undefined && to.endsWith('.md')) expect([...anchors(to)], `${target} in ${page}`).toContain(anchor);
    }
  });

  it('lead from docs/README.md to every page', () => {
    const index = readPage('docs/README.md');
    for (const page of pages.filter((name) => name.startsWith('docs/') && name !== 'docs/README.md')) expect(index).toContain(`(${page.slice('docs/'.length)})`);
  });
});

/** What a shell reads in a help text: the lines under "Example" that begin with the command. */
const helpExamples = (text: string): string[] => [...text.matchAll(/^ {2}(holdfast .+)$/gm)].map(([, line = '']) => line).filter((line) => !line.includes('['));

describe('--help', () => {
  it.each(['run', 'terminal', 'tree', 'doctor', 'bench', 'completion'])('%s has examples that the parser takes, and exit codes', async (verb) => {
    const { code, stdout } = await runNode([`${root}dist/cli/main.js`, verb, '--help']);
    const text = stdout.toString();
    expect(code).toBe(0);
    expect(text).toMatch(/\nExit code: /);
    const examples = helpExamples(text.slice(text.indexOf('Example')));
    expect(examples.length).toBeGreaterThan(0);
    const { parseInvocation } = await import('../../dist/cli/arguments.js');
    for (const example of examples) {
      // Words as a shell makes them: quotes taken away, a redirection left out.
      const words = [...example.replace(/ \d?>.*$/, '').matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(1);
      expect(parseInvocation(words).kind).toBe(verb);
    }
  });
});
