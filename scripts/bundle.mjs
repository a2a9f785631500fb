// Joins the modules of dist/ into few files: node scripts/bundle.mjs, after tsc. Node needs a good part of a millisecond to
// find, read and link each module, and the package has more than sixty: joined, importing it costs a quarter.
//
// What others import stays a file of its own name, and the rest goes into files that those share, so that there is one of
// each class and of each state whichever door somebody comes through. Declarations stay as tsc writes them.
import fs, { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { inRoot, packageJson } from './lib/tools.mjs';

/** Files that are imported or run by path: by tests, by scripts, by ourselves. */
const BY_PATH = ['cli/arguments', 'native', 'runtime/core', 'seam/error-table', 'testing/dummy', 'testing/dummy-child'];
/** What `import 'holdfast'` needs and is one file then: all but commands, doors, the tests' tools and what is loaded later. */
const CORE = /dist[\\/](?!cli[\\/]|testing|adapters[\\/]|control|index|runtime[\\/]terminal[\\/]node-pty[\\/])/;
const dist = inRoot('dist');

/**
 * `import … from 'node:fs'` makes Node read every export of it, and some of those load all of its streams when they are
 * read. Taken from the module itself, they are not.
 */
const plainFs = {
  name: 'plain-fs',
  resolveId: (id) => (id === 'node:fs' ? { id: '\0fs', external: false } : null),
  load(id) {
    if (id !== '\0fs') return null;
    const isFunction = ([name, { value }]) => typeof value === 'function' && !/^[_A-Z]/.test(name);
    const names = Object.entries(Object.getOwnPropertyDescriptors(fs)).filter(isFunction).map(([name]) => name);
    return ['constants', ...names].reduce((code, name) => `${code}\nexport const ${name} = fs.${name};`, "const fs = process.getBuiltinModule('node:fs');");
  },
};

/**
 * What is shared lies beside index.js, where src/native.ts finds the package by the place of its code, and where all of it is of
 * testing/, there: src/testing/dummy.ts names its child by its own place.
 */
const place = ({ moduleIds }) => `${moduleIds.every((id) => dirname(id) === join(dist, 'testing')) ? 'testing/' : ''}chunk-[name].js`;

const exported = Object.values(packageJson.exports).map((one) => one.default).filter((path) => path !== undefined);
const doors = [...exported, ...Object.values(packageJson.bin)].map((path) => path.replace(/^(\.\/)?dist\//, '').replace(/\.js$/, ''));
const modules = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
const bundled = await rolldown({
  input: Object.fromEntries([...doors, ...BY_PATH].map((name) => [name, join(dist, `${name}.js`)])),
  platform: 'node',
  plugins: [plainFs],
  external: (id) => id !== 'node:fs' && !/^[./\0]/.test(id),
  treeshake: { moduleSideEffects: false, propertyReadSideEffects: false },
});
const { output } = await bundled.write({ dir: dist, format: 'esm', entryFileNames: '[name].js', chunkFileNames: place, codeSplitting: { groups: [{ name: 'core', test: CORE }] } });
const written = new Set(output.map(({ fileName }) => join(fileName)));
for (const name of modules) if (!written.has(name)) rmSync(join(dist, name));
