import assert from 'node:assert/strict';
import * as holdfast from 'holdfast';
import { SUBPROCESS_CONTROL_FD } from 'holdfast/control';
import manifest from 'holdfast/package.json' with { type: 'json' };
import { work } from './work.mjs';

assert.equal(SUBPROCESS_CONTROL_FD, 7);
assert.equal(manifest.name, 'holdfast');
console.log(await work(holdfast));
