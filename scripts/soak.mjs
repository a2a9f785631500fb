// npm run soak [-- --minutes N --seed S --job I --owner KIND]: builds what does not fit, then test/soak/soak.mjs.
import { mkdirSync } from 'node:fs';
import { prepare } from './lib/prepare.mjs';
import { inRoot, main, must, run } from './lib/tools.mjs';

await main(() => {
  prepare();
  mkdirSync(inRoot('build/test'), { recursive: true });
  must('Compiling the child program', process.env.CC ?? 'cc', ['-std=gnu11', '-O1', '-pthread', '-o', inRoot('build/test/dummy'), inRoot('test/fixtures/dummy.c')]);
  process.exitCode = run(process.execPath, ['--expose-gc', inRoot('test/soak/soak.mjs'), ...process.argv.slice(2)]);
});
