// Plays cases one after the other, each in a worker of its own: the last environment that ends takes the addon's threads and
// the warden with it, so that each case begins at the very first call. This thread never loads the addon; after each case it
// looks at what is left of it. Reads cases as JSON lines, and answers each with one.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import { footprint, leftBehind } from '../fixtures/hosts/footprint.mjs';
import { Plan } from './plan.mjs';

const { FAULT_PLAN, FAULT_DUMMY, TMPDIR } = process.env;
const plan = new Plan(FAULT_PLAN);
const CASE_MS = 60_000;

/** Processes that carry this host's mark, wherever they hang. */
const strays = () => readdirSync('/proc').filter((pid) => {
  try {
    return /^\d+$/.test(pid) && Number(pid) !== process.pid && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`FAULT_PLAN=${FAULT_PLAN}`);
  } catch {
    return false;
  }
});
async function untilNone(look) {
  for (const end = performance.now() + 10_000; ;) {
    const left = look();
    if (left.length === 0 || performance.now() > end) return left;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function play({ id, owner, steps, fault }) {
  const spillDirectory = mkdtempSync(join(TMPDIR, 'case-'));
  plan.clear();
  const worker = new Worker(new URL('scenario.mjs', import.meta.url), { workerData: { dummy: FAULT_DUMMY, owner, steps, spillDirectory, fault } });
  const problems = [];
  let answer;
  let fired = 0;
  let counts;
  if (fault) plan.arm(fault);
  const deadline = setTimeout(() => {
    problems.push('the case did not end');
    void worker.terminate();
  }, CASE_MS);
  await new Promise((resolve) => {
    worker.on('message', (message) => {
      if (message.kind === 'result') answer = message;
      else {
        fired = plan.fired;
        counts = plan.counts();
        plan.disarm();
        worker.postMessage('go on');
      }
    });
    worker.on('error', (error) => problems.push(`the worker: ${error.stack}`));
    worker.on('exit', resolve);
  });
  clearTimeout(deadline);
  plan.disarm();
  problems.push(...(answer?.problems ?? ['the worker has not answered']));
  const left = [...await leftBehind(baseline), ...(await untilNone(strays)).map((pid) => `stray ${pid}`)];
  // A file that the system does not let us remove stays: that is what was reported.
  const removal = ['unlink', 'rmdir', 'unlinkat'].includes(fault?.call);
  const files = removal ? [] : readdirSync(spillDirectory, { recursive: true }).filter((name) => name !== '');
  if (left.length + files.length > 0) problems.push(`left: ${[...left, ...files].join(', ')}`);
  rmSync(spillDirectory, { recursive: true, force: true });
  return { id, fired, outcomes: answer?.outcomes, problems, ...(fault ? {} : { counts }) };
}

// What is started once by Node itself.
await new Promise((resolve) => { new Worker('', { eval: true }).on('exit', resolve); });
let baseline = footprint();
await play({ owner: 'auto', steps: ['collects'] });
baseline = footprint();
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await play(JSON.parse(line)))}\n`);
}
plan.close();
