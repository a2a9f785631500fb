// The specification with src/ in the place of dist/, so that what it covers is counted where it was written. For
// scripts/coverage.mjs only: what users load is dist/.
import { fileURLToPath } from 'node:url';
import { mergeConfig } from 'vitest/config';
import base from '../vitest.config.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

export default mergeConfig(base, {
  root,
  resolve: { alias: [{ find: /^(?:\.\.\/)+dist\/(.*)\.js$/, replacement: `${root}src/$1.ts` }] },
  test: {
    typecheck: { enabled: false },
    coverage: {
      enabled: true, provider: 'v8', include: ['src/**/*.ts'], reporter: ['json-summary', 'json'], reportsDirectory: `${root}build/coverage`, reportOnFailure: true,
    },
  },
});
