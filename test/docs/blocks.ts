import { readdirSync, readFileSync } from 'node:fs';
import { root } from '../support/paths.ts';

export interface Block {
  /** Such as `docs/output.md:12`. */
  readonly at: string;
  readonly language: 'js' | 'sh';
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

/** The blocks of a page that begin with ```js run or ```sh run. */
export function runnableBlocks(page: string): Block[] {
  const text = readPage(page);
  return [...text.matchAll(/^```(js|sh) run\n([\s\S]*?)^```$/gm)].map((match) => ({
    at: `${page}:${text.slice(0, match.index).split('\n').length}`,
    language: match[1] as 'js' | 'sh',
    code: match[2] ?? '',
  }));
}
