// node .ci/build-gyp.mjs <folder>: node-gyp rebuild there, with the headers of this Node.
import { runGyp } from '../scripts/lib/native.mjs';
import { main } from '../scripts/lib/tools.mjs';

await main(() => {
  process.exitCode = runGyp({ cwd: process.argv[2] });
});
