// Where a release binary of these very sources lies: prebuilds/ when it fits, else what `npm run prebuild` has built.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputHash } from './inputs.mjs';
import { fits } from './manifest.mjs';
import { targetFiles, targetName, TARGETS } from './targets.mjs';
import { inRoot } from './tools.mjs';

/** Where `npm run prebuild` puts what it has built, and the sources it was built from. */
export const OUT = inRoot('build', 'prebuild');
export const BUILT = join(OUT, 'prebuilds');
export const stampOf = (target) => join(OUT, `${targetName(target)}.inputs`);

/** True when the target lies in build/prebuild, made from the sources with the hash `inputs`. */
export const isBuilt = (target, inputs = inputHash()) =>
  existsSync(stampOf(target)) && readFileSync(stampOf(target), 'utf8') === inputs
  && targetFiles(target).every((file) => existsSync(join(BUILT, file)));

/** The path of the addon of `name`, such as `linux-x64.musl`; undefined when there is none of these sources. */
export function binaryOf(name) {
  const target = TARGETS.find((row) => targetName(row) === name);
  const [file] = targetFiles(target);
  if (fits()) return inRoot('prebuilds', file);
  return isBuilt(target) ? join(BUILT, file) : undefined;
}
