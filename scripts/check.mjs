// npm run check: everything that needs no native binary: types of sources, tests and declarations, by both compilers, and the
// package's shape.
import { spawnSync } from 'node:child_process';
import { buildTypeScript, installPackages, requireNode } from './lib/prepare.mjs';
import { bin, Failure, inRoot, main, must, npm } from './lib/tools.mjs';

const LARGEST = 3_000_000;
// A binding.gyp at the root would make some package managers compile; sources would be of no use without it.
const SHIPPED = /^(dist\/|prebuilds\/|(package\.json|README\.md|LICENSE|NOTICE|CHANGELOG\.md|SUPPORT\.md)$)/;

/** The first writes dist/; users have either. */
const COMPILERS = ['typescript', 'typescript-7'];
const PROJECTS = ['tsconfig.json', 'test/tsconfig.json', 'test/types/consumer/tsconfig.json'];

/** What `npm pack --dry-run` says of the tarball: small, and nothing in it that has no business there. */
function checkTarball() {
  const [program, ...args] = npm();
  const { status, stdout, stderr } = spawnSync(program, [...args, 'pack', '--dry-run', '--json'], { cwd: inRoot(), encoding: 'utf8' });
  if (status !== 0) throw new Failure(`npm pack --dry-run failed:\n${stderr}`);
  const [{ size, files }] = JSON.parse(stdout);
  const strange = files.map(({ path }) => path).filter((path) => !SHIPPED.test(path));
  if (strange.length > 0) throw new Failure(`the tarball holds ${strange.join(', ')}`);
  if (size > LARGEST) throw new Failure(`the tarball has ${size} bytes, more than ${LARGEST}`);
  console.log(`npm pack: ${files.length} files, ${size} bytes`);
}

await main(() => {
  requireNode();
  installPackages();
  buildTypeScript();
  const node = process.execPath;
  for (const compiler of COMPILERS) {
    must('Naming the compiler', node, [bin(compiler, 'tsc'), '--version']);
    for (const project of PROJECTS) must(`${compiler} on ${project}`, node, [bin(compiler, 'tsc'), '-p', project, '--noEmit']);
  }
  must('publint', node, [bin('publint'), '--strict']);
  must('attw', node, [bin('@arethetypeswrong/cli', 'attw'), '--pack', '.', '--profile', 'esm-only']);
  checkTarball();
});
