// Code 0 when prebuilds/ was made from the sources that are here.
import { existsSync, readFileSync } from 'node:fs';
import { inputHash } from '../scripts/lib/inputs.mjs';
import { inRoot } from '../scripts/lib/tools.mjs';

const manifest = inRoot('prebuilds', 'manifest.json');
process.exitCode = existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).inputs === inputHash() ? 0 : 1;
