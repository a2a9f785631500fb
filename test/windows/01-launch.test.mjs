// Starting a command: programs, arguments, directories, variables, and what cannot be started.
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bed, collect, grown, it, output, probe } from './support.mjs';

const { folder, runtime, spawn, node, run } = bed();

it('output is collected, the exit code told, and the end proven by the Job', async () => {
  const handle = node(['say', '7']);
  assert.deepEqual(await handle.done, { exitCode: 7, signal: null });
  assert.equal(handle.collected.stdout.readFrom(0).text, 'to stdout\n');
  assert.equal(handle.collected.stderr.readFrom(0).text, 'to stderr\n');
  assert.equal(await handle.waitForExit(), true);
  const { owner, proof, drain, politeStage } = handle.report();
  assert.deepEqual({ owner, proof, drain, politeStage }, { owner: 'job', proof: 'proven', drain: 'eof', politeStage: undefined });
});

it('exit codes are 32 bits wide', async () => {
  for (const code of [0, 1, 259, 0x7fffffff, 0xc000013a, 0xffffffff]) assert.deepEqual(await run(['exit', String(code)]).done, { exitCode: code, signal: null });
});

it('a crash is an exit code, and shows no dialog', async () => {
  assert.deepEqual(await run(['crash']).done, { exitCode: 0xc0000005, signal: null });
});

it('arguments arrive through the real parser as they were given', async () => {
  const args = ['', ' ', 'a b', '"', '\\', '\\"', 'a\\', 'a b\\', '\\\\srv\\x y\\', '%PATH%', '^&|<>()!', 'é世界', '\t', 'a"b"c', '--x="y z"', "it's"];
  assert.deepEqual(JSON.parse(await output(node(['args', ...args]))), args);
  let seed = 12345;
  const random = (below) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
  const many = Array.from({ length: 400 }, () => Array.from({ length: random(9) }, () => 'ab\\\\"" \t%^'[random(10)]).join(''));
  assert.deepEqual(JSON.parse(await output(node(['args', ...many]))), many);
});

it('a command line that is too long is refused as such', { wine: 'it knows no limit of a command line' }, async () => {
  await assert.rejects(run(['say', 'x'.repeat(40_000)]).done, { code: 'E2BIG' });
});

it('programs and directories have names of any script', async () => {
  const there = join(folder, 'été 世界 🐚');
  mkdirSync(there);
  const program = join(there, 'prógram.exe');
  copyFileSync(probe, program);
  assert.equal(await output(spawn([program, 'say', 'é世'], { cwd: there })), 'é世');
});

it('a program is found at a path of more than 260 characters', { wine: 'its CreateProcess knows no long paths' }, async () => {
  let there = folder;
  while (there.length < 300) there = join(there, 'd'.repeat(50));
  mkdirSync(there, { recursive: true });
  const program = join(there, 'probe.exe');
  copyFileSync(probe, program);
  assert.equal(await output(spawn([program, 'say', 'far'])), 'far');
});

it('a missing program and a missing directory are told apart', async () => {
  await assert.rejects(spawn(['no-such-program-here']).done, { code: 'ENOENT', stage: 'resolve' });
  await assert.rejects(spawn([join(folder, 'nothing.exe')]).done, { code: 'ENOENT' });
  await assert.rejects(run(['exit', '0'], { cwd: join(folder, 'missing') }).done, { code: 'ENOENT', syscall: 'chdir' });
  const file = join(folder, 'a file');
  writeFileSync(file, '');
  await assert.rejects(run(['exit', '0'], { cwd: file }).done, { code: 'ENOTDIR', syscall: 'chdir' });
});

it('a file that is no program, and a directory, are refused', async () => {
  const text = join(folder, 'text.exe');
  writeFileSync(text, 'this is no program');
  await assert.rejects(spawn([text]).done, { code: 'ENOEXEC' });
  await assert.rejects(spawn([folder]).done, (error) => ['ENOENT', 'EACCES'].includes(error.code));
});

it('a failing launch with piped streams raises no error but that of done', async () => {
  const handle = spawn(['no-such-program-here'], { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' });
  handle.stdin.write('for nobody');
  await assert.rejects(handle.done, { code: 'ENOENT' });
  assert.equal(await handle.waitForExit(), true);
  assert.equal(handle.pid, -1);
});

it('names of variables are one name in any case', async () => {
  const handle = node(['env', 'PATH', 'Mixed', 'GONE'], { env: { path: process.env.PATH, MIXED: 'x', gone: undefined } });
  assert.deepEqual(JSON.parse(await output(handle)), [process.env.PATH, 'x', null]);
});

it('secrets and the managed prefix are taken out of the environment, unless they are given', async () => {
  process.env.SOME_API_KEY = 'secret';
  process.env.holdfast_thing = 'mine';
  assert.deepEqual(JSON.parse(await output(node(['env', 'SOME_API_KEY', 'HOLDFAST_THING']))), [null, null]);
  assert.deepEqual(JSON.parse(await output(node(['env', 'some_api_key'], { env: { SOME_API_KEY: 'given' } }))), ['given']);
});

it('programs are found by PATH and PATHEXT of the child, and not in the current directory', async () => {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  copyFileSync(probe, join(bin, 'tool.exe'));
  copyFileSync(probe, join(folder, 'here.exe'));
  const found = await runtime.resolveExecutable('cmd');
  assert.match(found, /\\cmd\.exe$/i);
  assert.ok(existsSync(found));
  const notFound = { name: 'SubprocessExecutableNotFoundError' };
  await assert.rejects(runtime.resolveExecutable('cmd', { PATHEXT: '.NONE' }), notFound);
  await assert.rejects(runtime.resolveExecutable('cmd', { PATH: bin }), notFound);
  await assert.rejects(runtime.resolveExecutable('here', { PATH: bin }), notFound);
  await assert.rejects(runtime.resolveExecutable('sub\\cmd'), { code: 'ERR_INVALID_ARG_VALUE' });
  assert.equal((await runtime.resolveExecutable('tool', { path: `"${bin}";C:\\nowhere` })).toLowerCase(), join(bin, 'tool.exe').toLowerCase());
  assert.equal(await output(spawn(['tool', 'say', 'by path'], { env: { PATH: bin } })), 'by path');
  await assert.rejects(spawn(['here', 'exit', '0'], { env: { PATH: bin } }).done, { code: 'ENOENT' });
  const aborted = new AbortController();
  aborted.abort(new Error('enough'));
  await assert.rejects(runtime.resolveExecutable('cmd', {}, aborted.signal), { message: 'enough' });
});

it('a batch file gets its arguments and cannot be made to run another command', { wine: 'its cmd.exe reads quotes and percent signs by rules of its own' }, async () => {
  const script = join(folder, 'a script.cmd');
  writeFileSync(script, `@"${probe}" say ran 3\r\n`);
  const args = ['plain', 'a b', '&echo bad', '%PATH%', '"', '^', 'a\\', '', '"&echo bad', '%cd%&echo bad', '|echo bad', '>bad'];
  const handle = spawn([script, ...args]);
  assert.deepEqual(await handle.done, { exitCode: 3, signal: null });
  assert.equal(handle.collected.stdout.readFrom(0).text, 'ran');
});

it('the arguments of a batch file come out of the processor as they were given', { wine: 'its cmd.exe reads quotes and percent signs by rules of its own' }, async () => {
  const { child } = await import('./support.mjs');
  const script = join(folder, 'pass.cmd');
  writeFileSync(script, `@"${process.execPath}" "${child}" args %*\r\n`);
  let seed = 99;
  const random = (below) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
  for (let round = 0; round < 20; round++) {
    const args = Array.from({ length: 20 }, () => Array.from({ length: random(9) }, () => 'ab\\"%&|<>^ !()@'[random(15)]).join(''));
    assert.deepEqual(JSON.parse(await output(spawn([script, ...args]))), args);
  }
});

it('a batch file is run, with plain arguments and its own exit code', async () => {
  const script = join(folder, 'plain.CMD');
  writeFileSync(script, `@"${probe}" say %1-%2 4\r\n`);
  const handle = spawn([script, 'one', 'two']);
  assert.deepEqual(await handle.done, { exitCode: 4, signal: null });
  assert.equal(handle.collected.stdout.readFrom(0).text, 'one-two');
});

it('a line break for a batch file is refused, and so is a quote in its name', async () => {
  const script = join(folder, 'b.bat');
  writeFileSync(script, '@exit /b 3\r\n');
  await assert.rejects(spawn([script, 'a\nb']).done, { code: 'EINVAL' });
  await assert.rejects(spawn([script, 'a\rb']).done, { code: 'EINVAL' });
  assert.deepEqual(await spawn([script]).done, { exitCode: 3, signal: null });
});

it('a command has no window and only the handles that it was given', async () => {
  assert.equal(await output(run(['console'])), 'none');
  const others = Array.from({ length: 4 }, () => run(['wait'], { stdin: 'pipe' }));
  await Promise.all(others.map((other) => grown(other, 'waiting')));
  // stdin is the null device: of pipes there are two.
  assert.equal(await output(run(['handles'])), '2');
  for (const other of others) other.terminate();
  for (const other of others) assert.equal(await other.waitForExit(), true);
});

it('what is wrong with a specification is thrown at once', () => {
  const spec = { argv: [probe], cwd: folder, graceMs: 1000, stdio: { stdin: 'ignore', stdout: collect, stderr: collect } };
  const wrong = (change, expected) => assert.throws(() => runtime.spawn({ ...spec, ...change }), expected);
  for (const graceMs of [0, -1, NaN, Infinity, 2 ** 31]) wrong({ graceMs }, /graceMs/);
  wrong({ argv: [] }, /argv/);
  wrong({ argv: [''] }, /argv/);
  wrong({ argv: ['a\0b'] }, { code: 'ERR_INVALID_ARG_VALUE' });
  wrong({ argv: ['a', 'b\0'] }, { code: 'ERR_INVALID_ARG_VALUE' });
  wrong({ cwd: '' }, /cwd/);
  wrong({ cwd: 'a\0' }, { code: 'ERR_INVALID_ARG_VALUE' });
  wrong({ env: { 'A\0': 'x' } }, { code: 'ERR_INVALID_ARG_VALUE' });
  wrong({ env: { holdfast_subprocess_control: 'pipe' } }, /reserved/);
  wrong({ signal: AbortSignal.abort() }, { code: 'ABORT_ERR' });
  wrong({ stdio: { ...spec.stdio, stdout: { maxBytes: -1 } } }, RangeError);
});
