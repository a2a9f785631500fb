// What is special to Windows, against the real addon. Run by `npm run test:windows` with the test runner of Node itself:
// children are Node, so durations say nothing and every test has a long deadline.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { LocalSubprocessRuntime } from '../../dist/index.js';

const child = join(dirname(fileURLToPath(import.meta.url)), 'fixtures', 'child.mjs');
const folder = mkdtempSync(join(tmpdir(), 'holdfast test '));
const runtime = new LocalSubprocessRuntime({ spillDirectory: folder });
const collect = { maxBytes: 1 << 20 };
const underWine = process.env.HOLDFAST_TEST_WINE === '1';
const deadline = { timeout: 120_000 };

after(async () => {
  await runtime.dispose();
  rmSync(folder, { recursive: true, force: true });
});

function start(args, { stdin = 'ignore', stdout = collect, stderr = collect, control, ...rest } = {}) {
  const stdio = control ? { stdin, stdout, stderr, control } : { stdin, stdout, stderr };
  return runtime.spawn({ argv: [process.execPath, child, ...args], cwd: folder, graceMs: 20_000, stdio, ...rest });
}

async function output(handle) {
  const outcome = await handle.done;
  assert.deepEqual(outcome, { exitCode: 0, signal: null }, handle.collected.stderr?.readFrom(0).text);
  return handle.collected.stdout.readFrom(0).text;
}

async function grown(reader, text) {
  while (!reader.readFrom(0).text.includes(text)) await reader.changed(reader.readFrom(0).nextOffset);
}

test('output is collected, the exit code told, and the end proven by the Job', deadline, async () => {
  const handle = start(['say', '7']);
  assert.deepEqual(await handle.done, { exitCode: 7, signal: null });
  assert.equal(handle.collected.stdout.readFrom(0).text, 'to stdout\n');
  assert.equal(handle.collected.stderr.readFrom(0).text, 'to stderr\n');
  assert.equal(await handle.waitForExit(), true);
  const report = handle.report();
  assert.equal(report.owner, 'job');
  assert.equal(report.proof, 'proven');
  assert.equal(report.drain, 'eof');
});

test('arguments arrive through the real parser as they were given', deadline, async () => {
  const args = ['', ' ', 'a b', '"', '\\', '\\"', 'a\\', 'a b\\', '\\\\srv\\x y\\', '%PATH%', '^&|<>()!', 'é世界', '\t', 'a"b"c', '--x="y z"', "it's"];
  assert.deepEqual(JSON.parse(await output(start(['args', ...args]))), args);
  let seed = 12345;
  const random = (below) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
  const many = Array.from({ length: 400 }, () => Array.from({ length: random(9) }, () => 'ab\\\\"" \t%^'[random(10)]).join(''));
  assert.deepEqual(JSON.parse(await output(start(['args', ...many]))), many);
});

test('stdin as data comes back whole', deadline, async () => {
  const data = 'line of text é\n'.repeat(20_000);
  assert.equal(await output(start(['cat'], { stdin: { data } })), data);
});

test('piped streams are there at once and carry bytes in both directions', deadline, async () => {
  const handle = start(['cat'], { stdin: 'pipe', stdout: 'pipe' });
  handle.stdin.end('through the pipes');
  let text = '';
  for await (const chunk of handle.stdout) text += chunk;
  assert.equal(text, 'through the pipes');
  assert.deepEqual(await handle.done, { exitCode: 0, signal: null });
});

test('the control channel is descriptor 7, in both directions', deadline, async () => {
  const handle = start(['control'], { control: 'pipe' });
  handle.control.write('ping');
  let text = '';
  for await (const chunk of handle.control) text += chunk;
  assert.equal(text, 'pipe ping');
  handle.control.destroy();
  assert.deepEqual(await handle.done, { exitCode: 0, signal: null });
});

test('what spills is whole in the file, and its last bytes in memory', deadline, async () => {
  const handle = start(['bytes', '400000'], { stdout: { maxBytes: 65_536, spill: { maxBytes: 1 << 22 } } });
  assert.deepEqual(await handle.done, { exitCode: 0, signal: null });
  const read = handle.collected.stdout.readFrom(0);
  assert.equal(read.lossy, true);
  assert.equal(read.text.length, 65_536);
  assert.deepEqual(readFileSync(read.spillPath), Buffer.alloc(400_000, 'abcdefghi\n'));
});

test('whoever is left behind belongs to the range until it is ended', deadline, async () => {
  const handle = start(['leave']);
  const pid = Number(await output(handle));
  assert.equal(await handle.waitForExit(AbortSignal.timeout(300)), false);
  assert.ok((await handle.inspect()).members.some((member) => member.pid === pid));
  handle.terminate();
  assert.equal(await handle.waitForExit(), true);
  assert.equal(handle.report().proof, 'proven');
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});

test('a command that is terminated ends with code 1', deadline, async () => {
  const handle = start(['wait']);
  await grown(handle.collected.stdout, 'waiting');
  handle.terminate();
  assert.deepEqual(await handle.done, { exitCode: 1, signal: null });
  assert.equal(await handle.waitForExit(), true);
});

test('a missing program and a missing directory are told apart', deadline, async () => {
  const stdio = { stdin: 'ignore', stdout: collect, stderr: collect };
  const missing = runtime.spawn({ argv: ['no-such-program-here'], cwd: folder, graceMs: 1000, stdio });
  await assert.rejects(missing.done, { code: 'ENOENT', stage: 'resolve' });
  const nowhere = start(['say', '0'], { cwd: join(folder, 'missing') });
  await assert.rejects(nowhere.done, { code: 'ENOENT', syscall: 'chdir' });
});

test('a failing launch with piped streams raises no error but that of done', deadline, async () => {
  const stdio = { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' };
  const handle = runtime.spawn({ argv: ['no-such-program-here'], cwd: folder, graceMs: 1000, stdio });
  handle.stdin.write('for nobody');
  await assert.rejects(handle.done, { code: 'ENOENT' });
});

test('names of variables are one name in any case', deadline, async () => {
  const handle = start(['env', 'PATH', 'Mixed', 'GONE'], { env: { path: process.env.PATH, MIXED: 'x', gone: undefined } });
  assert.deepEqual(JSON.parse(await output(handle)), [process.env.PATH, 'x', null]);
});

test('programs are found by PATH and PATHEXT', deadline, async () => {
  const bin = join(folder, 'bin');
  const found = await runtime.resolveExecutable('cmd');
  assert.match(found, /\\cmd\.exe$/i);
  assert.ok(existsSync(found));
  await assert.rejects(runtime.resolveExecutable('cmd', { PATHEXT: '.NONE' }), { name: 'SubprocessExecutableNotFoundError' });
  await assert.rejects(runtime.resolveExecutable('cmd', { PATH: bin }), { name: 'SubprocessExecutableNotFoundError' });
  await assert.rejects(runtime.resolveExecutable('sub\\cmd'), { code: 'ERR_INVALID_ARG_VALUE' });
});

test('a batch file gets its arguments and cannot be made to run another command', { ...deadline, skip: underWine && "Wine's cmd.exe reads quotes and percent signs by rules of its own" }, async () => {
  const script = join(folder, 'a script.cmd');
  writeFileSync(script, `@"${process.execPath}" "${child}" args %*\r\n`);
  const args = ['plain', 'a b', '&echo bad', '%PATH%', '"', '^', 'a\\', ''];
  const stdio = { stdin: 'ignore', stdout: collect, stderr: collect };
  const handle = runtime.spawn({ argv: [script, ...args], cwd: folder, graceMs: 20_000, stdio });
  assert.deepEqual(JSON.parse(await output(handle)), args);
});

test('a line break for a batch file is refused', deadline, async () => {
  const script = join(folder, 'b.bat');
  writeFileSync(script, '@exit /b 3\r\n');
  const stdio = { stdin: 'ignore', stdout: collect, stderr: collect };
  const refused = runtime.spawn({ argv: [script, 'a\nb'], cwd: folder, graceMs: 20_000, stdio });
  await assert.rejects(refused.done, { code: 'EINVAL' });
  const run = runtime.spawn({ argv: [script], cwd: folder, graceMs: 20_000, stdio });
  assert.deepEqual(await run.done, { exitCode: 3, signal: null });
});
