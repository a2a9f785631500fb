// node scripts/ensure-native.mjs [--force]: a native binary that fits the sources; --force compiles in any case.
import { ensureNative } from './lib/native.mjs';
import { installPackages, requireNode } from './lib/prepare.mjs';
import { main } from './lib/tools.mjs';

await main(() => {
  requireNode();
  installPackages();
  ensureNative({ force: process.argv.includes('--force') });
});
