// node .ci/same-exports.mjs <a.node> <b.node>: two builds of the addon offer the same symbols, and JavaScript the same names.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readElf } from '../scripts/lib/audit/elf.mjs';

const [one, other] = process.argv.slice(2).map((path) => {
  const module = { exports: {} };
  process.dlopen(module, resolve(path));
  const names = Object.entries(module.exports).map(([name, value]) => `${name}: ${typeof value}`).sort();
  return { symbols: readElf(readFileSync(path)).exported.sort(), names };
});
assert.deepEqual(one, other);
console.log(`the same ${one.names.length} names and ${one.symbols.length} symbols`);
