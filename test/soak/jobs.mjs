// What a soak does, in any mixture: each job is one command or a few, checks what came of them, and leaves nothing.
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { pattern } from './random.mjs';

const dummy = fileURLToPath(new URL('../../build/test/dummy', import.meta.url));
const worker = fileURLToPath(new URL('../fixtures/hosts/worker.mjs', import.meta.url));
const stdio = { stdin: 'ignore', stdout: { maxBytes: 65_536 }, stderr: { maxBytes: 4096 } };
const spawn = ({ runtime }, args, more = {}) => runtime.spawn({ argv: [dummy, ...args.map(String)], cwd: '/', graceMs: 20_000, ...more, stdio: { ...stdio, ...more.stdio } });

/** After `done`: nothing is left, and that is known. */
async function over(handle) {
  assert.equal(await handle.waitForExit(), true);
  const { owner, proof, launch } = handle.report();
  if (launch === 'started') assert.equal(proof, owner === 'group' ? 'observed' : 'proven');
}
/** The first line that a command prints. */
async function line({ collected: { stdout } }) {
  for (let read = stdout.readFrom(0); ; read = stdout.readFrom(0)) {
    if (read.text.includes('\n')) return read.text.slice(0, read.text.indexOf('\n'));
    assert.equal(await stdout.changed(read.nextOffset), true, 'the command ended without a line');
  }
}

export const jobs = {
  async exitCode(world, random) {
    const code = random.below(256);
    const handle = spawn(world, ['exit', code]);
    assert.deepEqual(await handle.done, { exitCode: code, signal: null });
    await over(handle);
  },

  async deathBySignal(world, random) {
    const [number, name] = random.one([[6, 'SIGABRT'], [9, 'SIGKILL'], [11, 'SIGSEGV'], [15, 'SIGTERM']]);
    const handle = spawn(world, ['kill', number]);
    assert.deepEqual(await handle.done, { exitCode: null, signal: name });
    await over(handle);
  },

  async missingProgram({ runtime }, random) {
    const argv = random.one([['/no/such/program'], ['no-such-program'], ['/etc/passwd'], ['/usr']]);
    const handle = runtime.spawn({ argv, cwd: '/', graceMs: 1000, stdio });
    await assert.rejects(handle.done, (error) => ['ENOENT', 'EACCES'].includes(error.code));
    await over(handle);
  },

  async tail(world, random) {
    const [bytes, maxBytes] = [random.below(400_000), random.below(100_000)];
    const handle = spawn(world, ['write', 1, bytes, 1 + random.below(70_000), 0], { stdio: { stdout: { maxBytes } } });
    assert.deepEqual(await handle.done, { exitCode: 0, signal: null });
    const from = Math.max(0, bytes - maxBytes);
    const read = handle.collected.stdout.readBytes(0);
    assert.equal(read.nextOffset, bytes);
    assert.equal(pattern(from, bytes).equals(read.bytes), true, 'lost or wrong bytes in the tail');
    await over(handle);
    world.bytes += bytes;
  },

  async incremental(world, random) {
    const bytes = random.below(300_000);
    const handle = spawn(world, ['write', 1, bytes, 1 + random.below(5000), 0], { stdio: { stdout: { maxBytes: 400_000 } } });
    const parts = [];
    for (let offset = 0; await handle.collected.stdout.changed(offset, { bytes: true });) {
      const read = handle.collected.stdout.readBytes(offset);
      parts.push(Buffer.from(read.bytes));
      offset = read.nextOffset;
    }
    assert.equal(Buffer.concat(parts).equals(pattern(0, bytes)), true, 'lost or wrong bytes between reads');
    await handle.done;
    await over(handle);
    world.bytes += bytes;
  },

  async spill(world, random) {
    const [bytes, maxBytes] = [1000 + random.below(500_000), random.below(1000)];
    const handle = spawn(world, ['write', 1, bytes, 1 + random.below(70_000), 0], { stdio: { stdout: { maxBytes, spill: { maxBytes: 1e6 } } } });
    await handle.done;
    const { spillPath } = handle.collected.stdout.readFrom(0);
    assert.equal(readFileSync(spillPath).equals(pattern(0, bytes)), true, 'lost or wrong bytes in the file');
    rmSync(spillPath);
    await over(handle);
    world.bytes += bytes;
  },

  async piped(world, random) {
    const bytes = random.below(500_000);
    const handle = spawn(world, ['write', 1, bytes, 1 + random.below(70_000), 0], { stdio: { stdout: 'pipe' } });
    assert.equal((await buffer(handle.stdout)).equals(pattern(0, bytes)), true, 'lost or wrong bytes in the pipe');
    await handle.done;
    await over(handle);
    world.bytes += bytes;
  },

  async destroyedPipe(world) {
    const handle = spawn(world, ['yes'], { stdio: { stdout: 'pipe' } });
    handle.stdout.once('data', () => handle.stdout.destroy());
    assert.deepEqual(await handle.done, { exitCode: null, signal: 'SIGPIPE' });
    await over(handle);
  },

  async roundTrip(world, random) {
    const data = pattern(0, random.below(300_000)).toString('latin1');
    const handle = spawn(world, ['cat'], { stdio: { stdin: { data }, stdout: { maxBytes: 400_000 } } });
    assert.deepEqual(await handle.done, { exitCode: 0, signal: null });
    assert.equal(handle.collected.stdout.readFrom(0).text, data);
    await over(handle);
    world.bytes += data.length;
  },

  async control(world, random) {
    const sent = pattern(0, random.below(100_000));
    const handle = spawn(world, ['control-echo'], { stdio: { control: 'pipe' } });
    const got = buffer(handle.control);
    handle.control.end(sent);
    assert.equal((await got).equals(sent), true, 'lost or wrong bytes in the control channel');
    await handle.done;
    await over(handle);
  },

  async polite(world, random) {
    const handle = spawn(world, ['trap-term', 9]);
    await line(handle);
    for (let calls = 1 + random.below(3); calls > 0; calls--) handle.terminate();
    assert.deepEqual(await handle.done, { exitCode: 9, signal: null });
    await over(handle);
  },

  async deaf(world, random) {
    const controller = new AbortController();
    const handle = spawn(world, ['ignore-term'], { graceMs: 1 + random.below(200), signal: controller.signal });
    if (random.below(2) === 0) await line(handle);
    controller.abort();
    await handle.done;
    await over(handle);
  },

  async terminatedAtOnce(world, random) {
    const handle = spawn(world, ['sleep', 50_000]);
    for (let turns = random.below(4); turns > 0; turns--) await new Promise(setImmediate);
    handle.terminate();
    assert.equal((await handle.done).exitCode, null);
    await over(handle);
  },

  async tree(world, random) {
    const handle = spawn(world, ['tree', 1 + random.below(3), 1 + random.below(3)]);
    await line(handle);
    handle.terminate();
    await handle.done;
    await over(handle);
  },

  async daemon(world, random) {
    const handle = spawn(world, ['daemon', random.one(['hold', 'close']), random.one(['plain', 'deaf']), 3], { graceMs: 50 + random.below(100) });
    assert.deepEqual(await handle.done, { exitCode: 3, signal: null });
    assert.equal(await handle.waitForExit(AbortSignal.abort()), false);
    handle.terminate();
    await over(handle);
  },

  async relay(world) {
    const handle = spawn(world, ['relay', 2], { graceMs: 50 });
    await line(handle);
    handle.terminate();
    await handle.done;
    await over(handle);
  },

  async stopped(world) {
    const handle = spawn(world, ['stopped-child'], { graceMs: 200 });
    await line(handle);
    handle.terminate();
    await handle.done;
    await over(handle);
  },

  async terminal({ runtime }, random) {
    const bytes = random.below(100_000);
    const terminal = await runtime.spawnTerminal({ argv: [dummy, 'raw-write', String(bytes)], cwd: '/', rows: 24, cols: 80, terminalType: 'xterm', graceMs: 1000 });
    assert.equal((await buffer(terminal.output)).equals(pattern(0, bytes)), true, 'lost or wrong bytes on the terminal');
    assert.deepEqual(await terminal.done, { exitCode: 0, signal: null });
    await terminal.terminate();
  },

  async closedTerminal({ runtime }, random) {
    const argv = random.one([[dummy, 'ignore-term'], ['/bin/sh', '-i'], [dummy, 'daemon', 'hold', 'deaf', '0']]);
    const terminal = await runtime.spawnTerminal({ argv, cwd: '/', rows: 24, cols: 80, terminalType: 'xterm', graceMs: 50 });
    terminal.output.resume();
    await terminal.resize(100, 30).catch((error) => assert.equal(error.code, 'TERMINAL_EXITED'));
    await terminal.terminate();
    await terminal.done;
  },

  async runtimeOfItsOwn({ Runtime, options }, random) {
    const own = new Runtime(options);
    const handles = Array.from({ length: 1 + random.below(4) }, () => spawn({ runtime: own }, random.one([['sleep', 50_000], ['exit', 0], ['tree', 2, 2]])));
    await own.dispose();
    for (const handle of handles) {
      await handle.done;
      await over(handle);
    }
    assert.throws(() => spawn({ runtime: own }, ['exit', 0]), { code: 'DISPOSED' });
  },

  async worker() {
    const thread = new Worker(worker, { workerData: { mode: 'run', text: 'x' } });
    const answer = new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject));
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    assert.equal((await answer).text, 'x\n');
    await ended;
  },
};
