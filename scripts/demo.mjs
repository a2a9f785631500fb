// npm run demo: works on a fresh clone. The demonstration itself is demo-main.mjs.
import { prepare } from './lib/prepare.mjs';
import { main } from './lib/tools.mjs';

await main(async () => {
  prepare();
  await import('./demo-main.mjs');
});
