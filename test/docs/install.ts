import { statSync } from 'node:fs';
import { collect } from '../support/holdfast.ts';
import { root } from '../support/paths.ts';

const written = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** As npm test does with the package itself: what the folder `tools/<name>` lists is installed, once for each state of its list. */
async function install(name: string): Promise<void> {
  const folder = `${root}tools/${name}`;
  if (written(`${folder}/node_modules/.package-lock.json`) >= written(`${folder}/package-lock.json`)) return;
  await collect(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder], { check: true });
}

let examples: Promise<void> | undefined;
export const installExamples = (): Promise<void> => (examples ??= install('examples'));
