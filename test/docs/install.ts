import { existsSync } from 'node:fs';
import { collect } from '../support/holdfast.ts';
import { root } from '../support/paths.ts';

/** As npm test does with the package itself: what the folder `tools/<name>` lists is installed, once for each checkout. */
async function install(name: string): Promise<void> {
  const folder = `${root}tools/${name}`;
  if (existsSync(`${folder}/node_modules`)) return;
  await collect(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder], { check: true });
}

let examples: Promise<void> | undefined;
export const installExamples = (): Promise<void> => (examples ??= install('examples'));
