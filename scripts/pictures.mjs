// npm run docs:pictures: the pictures of the documents. The web terminal is photographed in headless Chromium; the drawings of
// bench/results are drawn again from their numbers.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redraw } from '../bench/lib/result.mjs';
import { findChromium, shows, withPage } from './lib/browser.mjs';
import { Failure, inRoot, main } from './lib/tools.mjs';

const PICTURE = inRoot('docs', 'pictures', 'web-terminal.png');

/** A shell without the habits of whoever runs this. */
const shell = (bin) => ({
  argv: ['bash', '--norc', '--noprofile', '-i'],
  env: { PS1: '\\[\\e[32m\\]~\\[\\e[0m\\] $ ', HISTFILE: undefined, HOST: String(process.pid), PATH: `${bin}:${process.env.PATH}` },
});

async function photograph() {
  if (findChromium() === undefined) throw new Failure('the picture of the web terminal needs Chromium: apt-get install chromium-headless-shell');
  const { serveTerminal } = await import('../examples/web-terminal/server.mjs');
  const cwd = mkdtempSync(join(tmpdir(), 'holdfast-picture-'));
  writeFileSync(join(cwd, 'holdfast'), `#!/bin/sh\nexec '${process.execPath}' '${inRoot('dist', 'cli', 'main.js')}' "$@"\n`, { mode: 0o755 });
  const served = await serveTerminal({ ...shell(cwd), cwd });
  try {
    await withPage(served.url, async (page) => {
      await shows(page, '$');
      await page.keyboard.type('(setsid sleep 600 &); (setsid sleep 601 &); holdfast tree $HOST\n');
      await shows(page, /orphan[^]*601/); // both have left the session, and are seen all the same
      writeFileSync(PICTURE, await page.screenshot());
    }, { height: 208 });
  } finally {
    await served.close();
    rmSync(cwd, { recursive: true });
  }
  console.log('docs/pictures/web-terminal.png');
}

await main(async () => {
  for (const file of redraw()) console.log(file);
  await photograph();
});
