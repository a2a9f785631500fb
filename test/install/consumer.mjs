// A user's project in an empty folder.
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot } from '../../scripts/lib/tools.mjs';
import { tool } from './tools.mjs';

const FILES = inRoot('test', 'install', 'consumer');

/** Writes the project into `folder`: no dependency yet. */
export function layConsumer(folder, manifest = {}) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', version: '1.0.0', private: true, type: 'module', ...manifest }));
  for (const name of readdirSync(FILES)) copyFileSync(join(FILES, name), join(folder, name));
}

/** A package manager must not even speak of scripts: the package has none. */
export function assertSilent(output) {
  assert.doesNotMatch(output, /\bscripts?\b/i, `the installation speaks of scripts:\n${output}`);
}

/** What work() has answered: everything but `expected` worked, with the binary of the package at hand. */
export function assertWork(output, { expected = [], below } = {}) {
  const { failed, binary, chosen } = JSON.parse(output.trim().split('\n').at(-1));
  assert.deepEqual(Object.keys(failed).sort(), [...expected].sort(), JSON.stringify(failed, null, 2));
  assert.match(binary, /prebuilds[\\/]\w+-\w+[\\/]holdfast\.\w*\.?node$/);
  if (below !== undefined) assert.ok(binary.startsWith(below), `${binary} is not below ${below}`);
  return `owner ${chosen}`;
}

/** A project with the package installed by npm with scripts blocked. */
export async function installed({ folder, tarball, call, deadline }) {
  layConsumer(folder);
  const npm = await tool('npm-11', { deadline });
  await call(process.execPath, [npm, 'install', '--ignore-scripts', '--no-audit', '--no-fund', tarball]);
  assert.ok(existsSync(join(folder, 'node_modules', 'holdfast', 'package.json')));
}
