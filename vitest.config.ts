import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // QiLin's package is on no public registry; the stand-in has exactly its documented members.
  resolve: { alias: { '@qilin-agent/subprocess': fileURLToPath(new URL('test/fixtures/seams/qilin.mjs', import.meta.url)) } },
  test: {
    globalSetup: ['test/support/setup-global.ts'],
    include: ['test/unit/**/*.test.ts', 'test/spec/**/*.spec.ts', 'test/docs/**/*.test.ts', 'test/conformance/**/*.spec.ts', 'test/differential/**/*.spec.ts'],
    // Tests count the process's descriptors, threads and children: each file gets a process of its own.
    pool: 'forks',
    isolate: true,
    maxWorkers: 2,
    // The end of what hangs, not a measure of speed: on a machine that is busy with other work the slowest takes half of it.
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    passWithNoTests: false,
    typecheck: {
      enabled: true,
      include: ['test/types/**/*.test-d.ts'],
      tsconfig: 'test/tsconfig.json',
      // The faster of the two compilers that are installed; `npm run check` asks both.
      checker: fileURLToPath(new URL('node_modules/typescript-7/bin/tsc', import.meta.url)),
    },
  },
});
