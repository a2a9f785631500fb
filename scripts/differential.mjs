// npm run test:differential [-- --specs N --seed S --from I --with execa]: N random specifications (200), each played by
// child_process and by Holdfast, and every tenth by execa too (all by --with execa); exit facts and bytes have to agree.
// Prints the seed and the number of each that does not: --seed S --from I --specs 1 plays it alone.
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { prepare } from './lib/prepare.mjs';
import { Failure, inRoot, main, must } from './lib/tools.mjs';

const EVERY = 10;
/** As many at once: each spec waits for processes most of the time. */
const LANES = 4;

await main(async () => {
  const { values } = parseArgs({ options: { specs: { type: 'string', default: '200' }, seed: { type: 'string' }, from: { type: 'string', default: '0' }, with: { type: 'string' } } });
  const [specs, from] = [Number(values.specs), Number(values.from)];
  if (!(specs >= 1) || !(from >= 0)) throw new Failure('--specs and --from take numbers');
  const seed = values.seed === undefined ? Date.now() % 1e9 : Number(values.seed);
  prepare();
  mkdirSync(inRoot('build/test'), { recursive: true });
  must('Compiling the child program', process.env.CC ?? 'cc', ['-std=gnu11', '-O1', '-pthread', '-o', inRoot('build/test/dummy'), inRoot('test/fixtures/dummy.c')]);
  const { LocalSubprocessRuntime } = await import('../dist/index.js');
  const { players, specification } = await import('../test/differential/random.mjs');
  const runtime = new LocalSubprocessRuntime({ onWarning: () => {} });

  let next = from, failed = 0;
  const played = { child_process: 0, execa: 0 };
  const compare = async (number) => {
    const spec = specification((seed + number) >>> 0);
    const ours = JSON.stringify(await players.holdfast(spec, { runtime }));
    for (const name of number % EVERY === 0 || values.with === 'execa' ? ['child_process', 'execa'] : ['child_process']) {
      const theirs = JSON.stringify(await players[name](spec));
      played[name]++;
      if (theirs === ours) continue;
      failed++;
      console.log(`DIFFERS from ${name}: --seed ${seed} --from ${number} --specs 1: ${JSON.stringify(spec).slice(0, 600)}\n  holdfast ${ours.slice(0, 400)}\n  ${name} ${theirs.slice(0, 400)}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, async () => {
    while (next < from + specs) await compare(next++);
  }));
  await runtime.dispose();
  console.log(`differential: ${played.child_process} specifications from ${from} on (seed ${seed}) agree with child_process, ${played.execa} of them with execa too, but for ${failed}`);
  process.exitCode = failed === 0 ? 0 : 1;
});
