// node sanitized-host.mjs <dist>: what makes the addon's threads meet each other: many ranges at once, readers beside the
// reactor, spills, terminations, workers that come and go. The sanitizer that is preloaded ends the process on a finding.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread, Worker } from 'node:worker_threads';

const { LocalSubprocessRuntime } = await import(join(process.argv[2], 'index.js'));
const spillDirectory = mkdtempSync(join(tmpdir(), 'holdfast-sanitized-'));
const runtime = new LocalSubprocessRuntime({ spillDirectory, removeSpillOnDispose: true });

function start(command, { maxBytes = 65_536, spill, graceMs = 5000 } = {}) {
  const collect = { maxBytes, ...(spill === undefined ? {} : { spill: { maxBytes: spill } }) };
  return runtime.spawn({
    argv: ['sh', '-c', command],
    cwd: '/',
    env: { LD_PRELOAD: undefined }, // for us, not for the commands
    stdio: { stdin: 'ignore', stdout: collect, stderr: collect },
    graceMs,
  });
}

async function short() {
  const handle = start('echo out; echo err >&2');
  assert.deepEqual(await handle.done, { exitCode: 0, signal: null });
  assert.equal(handle.collected.stdout.readFrom(0).text, 'out\n');
  assert.equal(await handle.waitForExit(), true);
}

async function long() {
  const handle = start('seq 1 2000000', { spill: 1 << 26 });
  const { stdout } = handle.collected;
  let offset = 0;
  while (await stdout.changed(offset)) offset = stdout.readFrom(offset).nextOffset;
  await handle.done;
  const { spill, bytes } = handle.report().streams.stdout;
  assert.deepEqual({ spill, bytes, offset }, { spill: 'complete', bytes: offset, offset: 14_888_896 });
}

async function ended() {
  const handle = start('echo here; sleep 600 & sleep 600', { graceMs: 2000 });
  await handle.collected.stdout.changed(0);
  handle.inspect();
  handle.terminate();
  assert.equal(await handle.waitForExit(), true);
  await handle.done;
}

async function missing() {
  const handle = runtime.spawn({ argv: ['/no/such/program'], cwd: '/', stdio: { stdin: 'ignore', stdout: { maxBytes: 1 }, stderr: { maxBytes: 1 } }, graceMs: 100 });
  await assert.rejects(handle.done, { code: 'ENOENT' });
}

const times = (count, body) => Array.from({ length: count }, body);
if (isMainThread) {
  const worker = () => new Promise((resolve, reject) => {
    new Worker(new URL(import.meta.url), { argv: [process.argv[2]] }).on('error', reject).on('exit', resolve);
  });
  await Promise.all([...times(40, short), ...times(3, long), ...times(5, ended), ...times(5, missing), ...times(4, worker)]);
} else {
  await Promise.all([...times(5, short), long(), ended(), missing()]);
}
await runtime.dispose();
rmSync(spillDirectory, { recursive: true, force: true });
if (isMainThread) console.log('no finding');
