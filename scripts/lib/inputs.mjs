// One hash over everything that decides what the native binary is, so that a binary can say which sources it came from.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { inRoot, packageJson } from './tools.mjs';

const FILES = [
  'CMakeLists.txt', 'scripts/embed-warden.mjs', 'scripts/windows/node-imports.mjs', 'scripts/zig-node-gyp.mjs', 'scripts/lib/targets.mjs',
  'tools/prebuild/package-lock.json',
];
const FOLDERS = ['native', 'cmake'];
const PACKAGES = ['node-addon-api', 'node-api-headers'];

/** Hex SHA-256 of a buffer or string. */
export const sha256 = (data) => createHash('sha256').update(data).digest('hex');

/** The hash of the native inputs; the same on every machine and in every folder. */
export function inputHash() {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(inRoot(folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`.slice(inRoot().length + 1).replaceAll('\\', '/')));
  const hash = createHash('sha256');
  for (const name of [...FILES, ...inFolders].sort()) {
    // Line ends as in the repository, whatever the checkout made of them.
    const text = readFileSync(inRoot(name), 'latin1').replaceAll('\r\n', '\n');
    hash.update(`${name}\0${text.length}\0${text}`);
  }
  for (const name of PACKAGES) hash.update(`${name}@${packageJson.devDependencies[name]}\0`);
  return hash.digest('hex');
}
