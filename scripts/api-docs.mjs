// npm run docs:api: the reference of every public name into build/api, as HTML. Not committed: it is made of the sources.
import { existsSync } from 'node:fs';
import { inRoot, main, must, npm } from './lib/tools.mjs';

const ENTRIES = ['index', 'control', 'testing', 'adapters/dsh', 'adapters/qilin', 'adapters/tether'];

await main(() => {
  const tool = inRoot('tools', 'docs');
  if (!existsSync(inRoot('tools', 'docs', 'node_modules'))) {
    const [program, ...args] = npm();
    must('Installing typedoc', program, [...args, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', tool]);
  }
  const entries = ENTRIES.flatMap((name) => ['--entryPoints', inRoot('src', `${name}.ts`)]);
  must('Writing the reference', process.execPath, [
    inRoot('tools', 'docs', 'node_modules', 'typedoc', 'bin', 'typedoc'),
    ...entries, '--tsconfig', inRoot('tsconfig.json'), '--out', inRoot('build', 'api'), '--readme', 'none', '--excludePrivate', '--excludeInternal', '--treatWarningsAsErrors', '--validation.notExported', 'false',
  ]);
});
