// What a command reads and writes: data, pipes, collected tails and their readers, spill files, the control channel.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LocalSubprocessRuntime } from '../../dist/index.js';
import { bed, collect, eventually, grown, it, output, probe } from './support.mjs';

const { folder, node, run } = bed();
const spilling = (maxBytes, spillBytes = 1 << 22) => ({ maxBytes, spill: { maxBytes: spillBytes } });
/** What `probe write` prints. */
const lines = (bytes) => Array.from({ length: bytes / 16 }, (_, i) => `${String(i).padStart(15, '0')}\n`).join('');
/** The access list as text: who may do what. */
const listOf = async (path) => (await output(run(['list-of-file', path]))).replace(/\0/g, '');
// Wine keeps Unix permissions and adds the system itself (SY), which may do everything anyway.
const onlyUser = async () => new RegExp(`^D:P?(AI)?(\\(A;[A-Z]*;[^;]*;;;(SY|${await output(run(['user']))})\\))+$`);

it('stdin as data comes back whole', async () => {
  const data = 'line of text é\n'.repeat(20_000);
  assert.equal(await output(node(['cat'], { stdin: { data } })), data);
});

it('a command that does not read its stdin is no error', async () => {
  assert.equal(await output(run(['say', 'done'], { stdin: { data: 'x'.repeat(1 << 20) } })), 'done');
});

it('piped streams are there at once and carry bytes in both directions', async () => {
  const handle = node(['cat'], { stdin: 'pipe', stdout: 'pipe' });
  handle.stdin.end('through the pipes');
  let text = '';
  for await (const chunk of handle.stdout) text += chunk;
  assert.equal(text, 'through the pipes');
  assert.deepEqual(await handle.done, { exitCode: 0, signal: null });
});

it('a piped stream is complete for a reader who comes late', async () => {
  const handle = run(['write', '48000'], { stdout: 'pipe' });
  handle.stdout.pause();
  await handle.waitForExit();
  let text = '';
  for await (const chunk of handle.stdout) text += chunk;
  assert.equal(text, lines(48_000));
});

it('the control channel is descriptor 7, in both directions', async () => {
  const handle = node(['control'], { control: 'pipe' });
  handle.control.write('ping');
  let text = '';
  for await (const chunk of handle.control) text += chunk;
  assert.equal(text, 'pipe ping');
  handle.control.destroy();
  assert.deepEqual(await handle.done, { exitCode: 0, signal: null });
});

it('the child side of the control channel opens it with openInheritedControlChannel()', async () => {
  const handle = node(['control-library'], { control: 'pipe' });
  handle.control.write('hello');
  let text = '';
  for await (const chunk of handle.control) text += chunk;
  assert.equal(text, 'library hello');
  assert.deepEqual(await handle.done, { exitCode: 0, signal: null }, handle.collected.stderr.readFrom(0).text);
});

it('the tail holds the last bytes, and offsets are those of the whole stream', async () => {
  const handle = run(['write', '320000'], { stdout: { maxBytes: 4096 } });
  await handle.done;
  const all = lines(320_000);
  const { stdout } = handle.collected;
  const late = stdout.readFrom(0);
  assert.deepEqual([late.text, late.nextOffset, late.lossy, late.spillPath], [all.slice(-4096), 320_000, true, undefined]);
  const exact = stdout.readFrom(319_984);
  assert.deepEqual([exact.text, exact.nextOffset, exact.lossy], [all.slice(-16), 320_000, false]);
  assert.deepEqual([stdout.readFrom(400_000).text, stdout.readFrom(400_000).nextOffset], ['', 320_000]);
});

it('readers are independent, and text never splits a character', async () => {
  const handle = run(['slowly', 'e4', 'b896e7', '958c'], { stdin: 'pipe' });
  const { stdout } = handle.collected;
  await eventually(() => handle.report().streams.stdout.bytes === 1);
  assert.deepEqual([stdout.readFrom(0).text, stdout.readFrom(0).nextOffset], ['', 0]);
  handle.stdin.write('\n');
  await grown(handle, '世');
  assert.deepEqual([stdout.readFrom(0).text, stdout.readFrom(0).nextOffset], ['世', 3]);
  handle.stdin.write('\n');
  await grown(handle, '世界');
  assert.equal(stdout.readFrom(3).text, '界');
  handle.stdin.end('\n');
  await handle.done;
  assert.equal(stdout.readFrom(0).text, '世界');
});

it('changed() is woken by growth and by the end', async () => {
  const handle = run(['slowly', '61', '62'], { stdin: 'pipe' });
  const { stdout } = handle.collected;
  await stdout.changed(0);
  assert.equal(stdout.readFrom(0).text, 'a');
  const more = stdout.changed(1);
  handle.stdin.write('\n');
  await more;
  assert.equal(stdout.readFrom(1).text, 'b');
  const end = stdout.changed(2);
  handle.stdin.end('\n');
  await end;
  await handle.done;
});

it('what spills is whole in the file, and its last bytes in memory', async () => {
  const handle = run(['write', '400000'], { stdout: spilling(65_536) });
  assert.deepEqual(await handle.done, { exitCode: 0, signal: null });
  const read = handle.collected.stdout.readFrom(0);
  assert.equal(read.lossy, true);
  assert.equal(read.text, lines(400_000).slice(-65_536));
  assert.equal(readFileSync(read.spillPath, 'latin1'), lines(400_000));
  assert.equal(handle.report().streams.stdout.spill, 'complete');
});

it('short output leaves no file, and a file that would be too large is taken away', async () => {
  const before = readdirSync(folder).length;
  const short = run(['write', '1600'], { stdout: spilling(65_536) });
  await short.done;
  assert.equal(short.report().streams.stdout.spill, 'none');
  const large = run(['write', '400000'], { stdout: spilling(4096, 100_000) });
  await large.done;
  assert.equal(large.report().streams.stdout.spill, 'discarded');
  assert.equal(large.collected.stdout.readFrom(0).spillPath, undefined);
  assert.equal(large.collected.stdout.readFrom(0).text, lines(400_000).slice(-4096));
  const files = readdirSync(folder).slice(0).filter((name) => name.startsWith('holdfast-'));
  assert.ok(readdirSync(folder).length <= before + 1);
  for (const name of files) for (const file of readdirSync(join(folder, name))) assert.doesNotMatch(file, new RegExp(`-${large.pid}-`));
});

it('names of spill files and their folders cannot be guessed', async () => {
  const paths = [];
  for (let i = 0; i < 2; i++) {
    const handle = run(['write', '160000'], { stdout: spilling(4096) });
    await handle.done;
    paths.push(handle.collected.stdout.readFrom(0).spillPath);
  }
  assert.notEqual(paths[0], paths[1]);
  for (const path of paths) {
    assert.match(basename(dirname(path)), new RegExp(`^holdfast-${process.pid}-[0-9a-f]{16}$`));
    assert.match(basename(path), /^holdfast-\d+-\d+-[0-9a-f]{16}-stdout\.log$/);
  }
});

it('a spill folder and its files are open to their user alone', async () => {
  const handle = run(['write', '160000'], { stdout: spilling(4096) });
  await handle.done;
  const path = handle.collected.stdout.readFrom(0).spillPath;
  assert.match(await listOf(dirname(path)), await onlyUser());
  assert.match(await listOf(path), await onlyUser());
});

it('a pipe is open to its user alone', { wine: 'it keeps no access list for pipes' }, async () => {
  assert.match(await output(run(['list-of-stdout'])), await onlyUser());
});

it('a spill directory that is not there is a fact of the read, and the tail stays', async () => {
  const nowhere = new LocalSubprocessRuntime({ spillDirectory: join(folder, 'nowhere', 'at', 'all') });
  const handle = nowhere.spawn({ argv: [probe, 'write', '160000'], cwd: folder, graceMs: 1000, stdio: { stdin: 'ignore', stdout: spilling(4096), stderr: collect } });
  assert.deepEqual(await handle.done, { exitCode: 0, signal: null });
  const { spill, spillError } = handle.report().streams.stdout;
  assert.deepEqual([spill, spillError.code], ['failed', 'ENOENT']);
  assert.equal(handle.collected.stdout.readFrom(0).text, lines(160_000).slice(-4096));
  await nowhere.dispose();
});

it('spill files of hosts that are gone are removed by age', async () => {
  const ended = run(['exit', '0']);
  const pid = ended.pid;
  await ended.waitForExit();
  const old = join(folder, `holdfast-${pid}-0123456789abcdef`);
  const young = join(folder, `holdfast-${pid}-fedcba9876543210`);
  const mine = join(folder, `holdfast-${process.pid}-0123456789abcdef`);
  for (const place of [old, young, mine]) {
    mkdirSync(place);
    writeFileSync(join(place, 'stdout.log'), 'text');
  }
  for (const place of [old, mine]) utimesSync(join(place, 'stdout.log'), 1000, 1000);
  const sweeper = new LocalSubprocessRuntime({ spillDirectory: folder, spillMaxAgeMs: 60_000 });
  const first = sweeper.spawn({ argv: [probe, 'exit', '0'], cwd: folder, graceMs: 1000, stdio: { stdin: 'ignore', stdout: collect, stderr: collect } });
  await first.done;
  await eventually(() => !existsSync(old));
  assert.deepEqual([existsSync(join(young, 'stdout.log')), existsSync(join(mine, 'stdout.log'))], [true, true]);
  await sweeper.dispose();
});

it('removeSpillOnDispose takes the files away', async () => {
  const tidy = new LocalSubprocessRuntime({ spillDirectory: folder, removeSpillOnDispose: true });
  const handle = tidy.spawn({ argv: [probe, 'write', '160000'], cwd: folder, graceMs: 1000, stdio: { stdin: 'ignore', stdout: spilling(4096), stderr: collect } });
  await handle.done;
  const path = handle.collected.stdout.readFrom(0).spillPath;
  assert.ok(existsSync(path));
  await handle.waitForExit();
  await tidy.dispose();
  assert.equal(existsSync(path), false);
});

it('32 MiB arrive whole through the tail and through the file', async () => {
  const handle = run(['write', String(32 << 20)], { stdout: spilling(65_536, 64 << 20) });
  assert.deepEqual(await handle.done, { exitCode: 0, signal: null });
  const read = handle.collected.stdout.readFrom(0);
  assert.equal(read.nextOffset, 32 << 20);
  assert.equal(readFileSync(read.spillPath).length, 32 << 20);
  assert.ok(readFileSync(read.spillPath, 'latin1').endsWith(read.text));
});

it('many commands at once each get their own output', async () => {
  const many = Array.from({ length: 24 }, (_, i) => run(['say', `number ${i}`]));
  assert.deepEqual(await Promise.all(many.map(output)), many.map((_, i) => `number ${i}`));
});
