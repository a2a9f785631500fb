// A host for one provider; see bench/lib/host.mjs, which starts it and talks to it.
import * as jobs from './jobs.mjs';
import * as ownerJobs from './owner-jobs.mjs';
import { openProvider } from './providers.mjs';

const { provider, heapMiB, ...settings } = JSON.parse(process.argv[2]);
// Arrays of doubles: eight bytes an element, all of it touched.
const heap = Array.from({ length: Math.ceil(heapMiB / 8) }, () => new Array(1 << 20).fill(1.5));
globalThis.gc?.();

/** What it answers has to have left before the process ends. */
const reply = (message) => new Promise((resolve) => { process.send(message, resolve); });

try {
  const contender = await openProvider(provider, settings);
  await reply({ result: { heapArrays: heap.length } });
  for (;;) {
    const { job, options } = await new Promise((resolve) => { process.once('message', resolve); });
    if (job === 'end') break;
    const answer = await { ...jobs, ...ownerJobs }[job](contender, options).then((result) => ({ result: result ?? null }), (error) => ({ error: String(error?.stack ?? error) }));
    await reply(answer);
  }
  await contender.end();
} catch (error) {
  await reply({ error: String(error?.stack ?? error) });
  process.exitCode = 1;
}
process.disconnect();
