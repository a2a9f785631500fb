// npm run bench [-- question…]: works on a fresh clone. The questions are in bench/.
import { prepare } from './lib/prepare.mjs';
import { inRoot, main, run } from './lib/tools.mjs';

await main(() => {
  prepare();
  process.exitCode = run(process.execPath, [inRoot('bench', 'run.mjs'), ...process.argv.slice(2)]);
});
