// prebuilds/manifest.json: which sources and which compiler the committed binaries were made from, and their bytes.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputHash, sha256 } from './inputs.mjs';
import { inRoot } from './tools.mjs';
import { zigVersion } from './zig.mjs';

const FILE = inRoot('prebuilds', 'manifest.json');

/** The manifest, or undefined in a checkout without binaries. */
export const readManifest = () => (existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : undefined);

/** True when the committed binaries were made from the sources that are here. */
export const fits = () => readManifest()?.inputs === inputHash();

/** Name, hash and size of each of the files `names` below `folder`. */
export const describe = (folder, names) => Object.fromEntries([...new Set(names)].sort().map((name) => {
  const bytes = readFileSync(join(folder, name));
  return [name, { sha256: sha256(bytes), bytes: bytes.length }];
}));

export function writeManifest(files) {
  writeFileSync(FILE, `${JSON.stringify({ inputs: inputHash(), zig: zigVersion(), files }, null, 2)}\n`);
}
