import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/paths.ts';
import { allBlocks } from './blocks.ts';

const nameOf = (at: string): string => `${at.replace(/[^\w]+/g, '-')}`;

/**
 * Compiles all blocks in TypeScript in one go, as a user with strict settings would, and gives the JavaScript of each by its
 * place. They lie inside of the package, so that its name leads to itself. Throws what the compiler says.
 */
export function compiledBlocks(): Map<string, string> {
  const folder = `${root}build/test/docs/typescript-${process.pid}`;
  mkdirSync(folder, { recursive: true });
  try {
    const typed = allBlocks.filter(({ language, fate }) => language === 'ts' && fate !== 'not run');
    for (const { at, code } of typed) writeFileSync(join(folder, `${nameOf(at)}.mts`), code);
    // The harness's package is on no public registry: its documented members stand in.
    const config = { extends: `${root}tsconfig.json`, compilerOptions: { rootDir: root, outDir: `${folder}/out`, declaration: false, isolatedDeclarations: false }, include: [folder, `${root}src/adapters/qilin-seam.d.ts`] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const { status, stdout } = spawnSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', folder], { encoding: 'utf8', timeout: 200_000 });
    if (status !== 0) throw new Error(`the blocks do not compile:\n${stdout}`);
    const out = (at: string): string => join(folder, 'out', folder.slice(root.length), `${nameOf(at)}.mjs`);
    return new Map(typed.map(({ at }) => [at, readFileSync(out(at), 'utf8')]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
