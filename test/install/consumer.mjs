// A user's project in an empty folder.
import assert from 'node:assert/strict';
import { copyFileSync, cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inRoot } from '../../scripts/lib/tools.mjs';
import { tool } from './tools.mjs';

const FILES = inRoot('test', 'install', 'consumer');

/**
 * Parts of the work that another runtime cannot do, as docs/install.md says to users. Bun's net.Socket does not take over an
 * open descriptor, and that is what a piped stream is made of.
 */
export const CANNOT = { bun: ['piped streams', 'the control channel'] };

/** Writes the project into `folder`: no dependency yet. */
export function layConsumer(folder, manifest = {}) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', version: '1.0.0', private: true, type: 'module', ...manifest }));
  for (const name of readdirSync(FILES)) copyFileSync(join(FILES, name), join(folder, name));
}

/** A package manager must not even speak of scripts: the package has none. */
export function assertSilent(output) {
  // yarn 1 repeats what it was told.
  assert.doesNotMatch(output.replace('Ignored scripts due to flag', ''), /\bscripts?\b/i, `the installation speaks of scripts:\n${output}`);
}

/** What work() has answered: everything but `expected` worked, with the binary of the package at hand. */
export function assertWork(output, { expected = [], below } = {}) {
  const { failed, binary, chosen } = JSON.parse(output.trim().split('\n').at(-1));
  assert.deepEqual(Object.keys(failed).sort(), [...expected].sort(), JSON.stringify(failed, null, 2));
  assert.match(binary, /prebuilds[\\/]\w+-\w+[\\/]holdfast\.\w*\.?node$/);
  if (below !== undefined) assert.ok(binary.startsWith(below), `${binary} is not below ${below}`);
  return `owner ${chosen}`;
}

/** A project with the package installed by npm with scripts blocked: once, then copied. */
export async function installed({ folder, tarball, call, deadline }) {
  layConsumer(folder);
  const first = join(dirname(tarball), 'installed');
  if (!existsSync(first)) {
    const npm = await tool('npm-11', { deadline });
    await call(process.execPath, [npm, 'install', '--ignore-scripts', '--no-audit', '--no-fund', tarball]);
    cpSync(join(folder, 'node_modules'), first, { recursive: true, verbatimSymlinks: true });
  } else {
    cpSync(first, join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  }
  assert.ok(existsSync(join(folder, 'node_modules', 'holdfast', 'package.json')));
}
