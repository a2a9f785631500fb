// npm run docs:spelling: every page that users read, against cspell's English and the words of tools/docs/cspell.json. Code is left out.
import { existsSync } from 'node:fs';
import { inRoot, main, must, npm } from './lib/tools.mjs';

await main(() => {
  const tool = inRoot('tools', 'docs');
  if (!existsSync(inRoot('tools', 'docs', 'node_modules', 'cspell'))) {
    const [program, ...args] = npm();
    must('Installing cspell', program, [...args, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', tool]);
  }
  must('The spelling check', process.execPath, [
    inRoot('tools', 'docs', 'node_modules', 'cspell', 'bin.mjs'),
    'lint', '--config', inRoot('tools', 'docs', 'cspell.json'), '--root', inRoot(), '--no-progress', '--show-suggestions', ...process.argv.slice(2),
  ]);
});
