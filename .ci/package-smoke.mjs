// Runs in a folder where the packed package is installed.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { LocalSubprocessRuntime } from 'holdfast';
import { SUBPROCESS_CONTROL_FD } from 'holdfast/control';

const require = createRequire(import.meta.url);
assert.equal(SUBPROCESS_CONTROL_FD, 7);
assert.equal(require('holdfast').LocalSubprocessRuntime, LocalSubprocessRuntime);
assert.equal(require('holdfast/package.json').name, 'holdfast');

const runtime = new LocalSubprocessRuntime();
const handle = runtime.spawn({
  argv: ['echo', 'hello'],
  cwd: process.cwd(),
  stdio: { stdin: 'ignore', stdout: { maxBytes: 1024 }, stderr: { maxBytes: 1024 } },
  graceMs: 1000,
});
assert.deepEqual(await handle.done, { exitCode: 0, signal: null });
assert.equal(handle.collected.stdout.readFrom(0).text, 'hello\n');
assert.equal(await handle.waitForExit(), true);
console.log(handle.report(), (await runtime.diagnose()).binary);
await runtime.dispose();
