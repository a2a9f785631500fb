// The main job on real input, shown and measured. scripts/demo.mjs has built everything before it imports this.
import { mkdtempSync, rmSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { cpus, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { LocalSubprocessRuntime } from '../dist/index.js';
import { withChildProcess, withHoldfast } from './demo/daemon.mjs';
import { heavy } from './demo/heavy.mjs';
import { expected, failed, gb, heading, mb, ms, say, table } from './demo/screen.mjs';
import { search } from './demo/search.mjs';

const TMPFS = 0x01021994;

const spillDirectory = mkdtempSync(join(await diskDirectory(), 'holdfast-demo-'));
const removeSpill = () => rmSync(spillDirectory, { recursive: true, force: true });
process.once('exit', removeSpill);
// Without a listener the signal would end us before the file is removed. The commands end with us in any case.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const runtime = new LocalSubprocessRuntime({ spillDirectory, removeSpillOnDispose: true });
const diagnosis = await runtime.diagnose();
say(`Holdfast demo: Node ${process.version}, Linux ${release()}, ${cpus().length} cores, ${gb(totalmem())} of memory, owner ${diagnosis.chosen}`);

let summary;
try {
  const collected = await heavy(runtime, spillDirectory);
  await search(runtime);
  const ours = await withHoldfast(runtime);
  const theirs = await withChildProcess(runtime);
  summary = { collected, ours, theirs };
} finally {
  await runtime.dispose();
}

heading('Summary');
const { collected, ours, theirs } = summary;
say(`  ${gb(collected.bytes)} collected: ${collected.rate.toFixed(2)} GB/s into the tail, ${collected.spillRate.toFixed(2)} GB/s with the file on disk;`);
say(`  host memory ${mb(collected.rssMost)} at most; event loop at worst ${ms(collected.worstDelayMs)} late`);
say();
table([
  ['after the command has left a daemon', 'Holdfast', 'child_process'],
  ['result and output are complete', `after ${ms(ours.doneMs)}`, theirs.done],
  ['it is known that something still runs', ours.stillBusy ? 'yes' : 'no', theirs.busy],
  ['everything can be ended', ours.ended ? `yes, ${ms(ours.endMs)}` : 'no', theirs.ended],
  ['proof that nothing is left', ours.proof, theirs.proof],
]);
say();
const failures = failed();
if (failures.length === 0) {
  say(`All ${expected()} expectations hold.`);
} else {
  say(`${failures.length} of ${expected()} expectations failed: ${failures.join('; ')}.`);
  process.exitCode = 1;
}

/** A temporary directory on a disk: several gigabytes in a tmpfs would be memory. */
async function diskDirectory() {
  for (const directory of [tmpdir(), '/var/tmp']) {
    const type = await statfs(directory).then(
      (facts) => facts.type,
      () => TMPFS,
    );
    if (type !== TMPFS) return directory;
  }
  return tmpdir();
}
