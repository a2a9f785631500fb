// node emulated-smoke.mjs <dist>: loads the binary that HOLDFAST_BINDING names and runs commands through it. For emulators
// and foreign C libraries, where no warden may start: then diagnose() must say so, and the weakest owner must still work.
import assert from 'node:assert/strict';
import { join } from 'node:path';

const { LocalSubprocessRuntime } = await import(join(process.argv[2], 'index.js'));
const warnings = [];
const runtime = new LocalSubprocessRuntime({ onWarning: (message) => warnings.push(message) });
const start = (argv) => runtime.spawn({
  argv,
  cwd: '/',
  env: { LD_LIBRARY_PATH: undefined }, // of the emulated process; the commands are those of the machine
  stdio: { stdin: 'ignore', stdout: { maxBytes: 1024 }, stderr: { maxBytes: 1024 } },
  graceMs: 2000,
});

const { binary, chosen, owners, warden } = await runtime.diagnose();
console.log({ node: process.version, arch: process.arch, binary, chosen, warden });
for (const { kind, available, reason } of owners) if (!available) assert.ok(reason, `no reason why ${kind} is not available`);

const ok = start(['echo', 'hello']);
assert.deepEqual(await ok.done, { exitCode: 0, signal: null });
assert.equal(ok.collected.stdout.readFrom(0).text, 'hello\n');
assert.equal(await ok.waitForExit(), true);
assert.equal(ok.report().owner, chosen);
assert.equal(warnings.length, chosen === 'group' ? 1 : 0, warnings.join('\n'));

const deaf = start(['sh', '-c', 'trap "" TERM; echo ready; sleep 600']);
await deaf.collected.stdout.changed(0);
deaf.terminate();
assert.deepEqual(await deaf.done, { exitCode: null, signal: 'SIGKILL' });
assert.equal(await deaf.waitForExit(), true);

// Some emulators cannot tell why an exec failed; then the shell's code for it is the command's.
const missing = await start(['/no/such/program']).done.then(({ exitCode }) => exitCode, ({ code }) => code);
assert.ok(missing === 'ENOENT' || missing === 127, String(missing));
await runtime.dispose();
console.log(`fine, with the owner ${chosen}`);
