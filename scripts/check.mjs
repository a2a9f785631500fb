// npm run check: everything that needs no native binary: types of sources and tests, and the package's shape.
import { buildTypeScript, installPackages, requireNode } from './lib/prepare.mjs';
import { bin, main, must } from './lib/tools.mjs';

await main(() => {
  requireNode();
  installPackages();
  buildTypeScript();
  const node = process.execPath;
  must('Type-checking the tests', node, [bin('typescript', 'tsc'), '-p', 'test/tsconfig.json']);
  must('publint', node, [bin('publint'), '--strict']);
  must('attw', node, [bin('@arethetypeswrong/cli', 'attw'), '--pack', '.', '--profile', 'esm-only']);
});
