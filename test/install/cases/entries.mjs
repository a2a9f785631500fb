// The ways into the package: import, require, workers, and a test runner that loads it several times.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bin } from '../../../scripts/lib/tools.mjs';
import { assertWork, installed } from '../consumer.mjs';

const entry = (name, file, important = true) => ({
  name, seconds: 120, important,
  async run(context) {
    await installed(context);
    return assertWork((await context.call(process.execPath, [file])).out, { below: context.folder });
  },
});

const vitest = (pool, important) => ({
  name: `vitest, ${pool}`, seconds: 120, important,
  async run(context) {
    await installed(context);
    // vitest of the checkout over the user's project: how the package is found is what counts.
    writeFileSync(join(context.folder, 'vitest.config.mjs'), `export default { test: { globals: true, pool: '${pool}', maxWorkers: 2, include: ['*user.test.mjs'] } };\n`);
    const { out } = await context.call(process.execPath, [bin('vitest'), 'run', '--root', context.folder, '--reporter=json']);
    const { numPassedTests, numTotalTests } = JSON.parse(out.slice(out.indexOf('{')));
    if (numPassedTests !== 2 || numTotalTests !== 2) throw new Error(`${numPassedTests} of ${numTotalTests} passed`);
  },
});

export default [
  entry('import', 'esm.mjs'),
  entry('require', 'commonjs.cjs'),
  entry('workers', 'worker.mjs'),
  vitest('threads', true),
  vitest('forks', true),
  vitest('vmThreads', false),
];
