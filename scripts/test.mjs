// npm test [-- vitest arguments]: works on a fresh clone; needs Node, npm and, without a fitting prebuilt binary, a compiler.
import { prepare } from './lib/prepare.mjs';
import { bin, main, run } from './lib/tools.mjs';

await main(() => {
  prepare();
  process.exitCode = run(process.execPath, [bin('vitest'), 'run', ...process.argv.slice(2)]);
});
