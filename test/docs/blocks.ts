import { readdirSync, readFileSync } from 'node:fs';
import { root } from '../support/paths.ts';

/** Languages whose blocks are programs; a block of another one is a file of a configuration, or a drawing. */
const PROGRAMS = ['js', 'ts', 'sh'];

/** What is done with a block: run, only compiled, or nothing; the last two have a reason. */
export type Fate = 'run' | 'check' | 'not run';

export interface Block {
  /** Such as `docs/output.md:12`. */
  readonly at: string;
  readonly language: string;
  /** undefined: the page does not say, which a test reports. */
  readonly fate: Fate | undefined;
  readonly code: string;
}

/** Every page that users read, from the root of the checkout. */
export const pages: string[] = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...['docs', 'examples'].flatMap((folder) => readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`)),
].filter((name) => name.endsWith('.md'));

export function readPage(page: string): string {
  return readFileSync(`${root}${page}`, 'utf8');
}

/** The programs of a page. Their first line says what is done with them: "```js run", "```sh not run: the reason". */
export function blocks(page: string): Block[] {
  const text = readPage(page);
  return [...text.matchAll(/^```(\w+)(?: (run|(?:check|not run): .+))?[^\n]*\n([\s\S]*?)^```$/gm)].filter(([, language = '']) => PROGRAMS.includes(language)).map((match) => ({
    at: `${page}:${text.slice(0, match.index).split('\n').length}`,
    language: match[1] ?? '',
    fate: match[2]?.replace(/:.*/, '') as Fate | undefined,
    code: match[3] ?? '',
  }));
}

export const allBlocks: Block[] = pages.flatMap(blocks);
