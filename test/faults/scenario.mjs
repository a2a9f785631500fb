// A worker that does one thing of each kind while a call fails somewhere below it. Each step ends with what was asked for or
// with a typed error; bytes that differ without a report that says so, an error without a code, and a step that does not
// end are problems. Then nothing fails any more, and the next command has to run as if nothing had been.
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { parentPort, workerData } from 'node:worker_threads';
import { LocalSubprocessRuntime } from '../../dist/index.js';
import { pattern } from '../soak/random.mjs';

const { dummy, owner, spillDirectory, steps: wanted, fault } = workerData;
const STEP_MS = 20_000;
const collect = { maxBytes: 65_536 };
const problems = [];
const outcomes = {};
const runtime = new LocalSubprocessRuntime({ ownership: [owner, 'auto'], spillDirectory, removeSpillOnDispose: true, onWarning: () => {} });

const spawn = (argv, more = {}) => runtime.spawn({ argv, cwd: '/', graceMs: 2000, ...more, stdio: { stdin: 'ignore', stdout: collect, stderr: collect, ...more.stdio } });
const sh = (script, more) => spawn(['/bin/sh', '-c', script], more);
const same = (what, got, expected) => { if (got !== expected) problems.push(`${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(expected)}`); };

/** What a command has printed is all there, or its report says that the stream was not read to its end. */
function output(what, handle, stream, expected) {
  const { text, nextOffset } = handle.collected[stream].readFrom(0);
  if (handle.report().drain === 'eof') same(what, text, expected);
  else if (!expected.startsWith(text) || nextOffset !== text.length) problems.push(`${what}: other bytes ${JSON.stringify(text)}`);
}

/** A command that was killed because its owner was lost has not exited, and says so. */
function exited(what, { exitCode, signal }, expected) {
  if (signal === 'SIGKILL') return false;
  same(what, exitCode, expected);
  return true;
}

async function over(handle) {
  const empty = await handle.waitForExit();
  same('waitForExit()', empty, true);
}

const steps = {
  async collects() {
    const handle = sh('cat; echo err >&2; exit 3', { stdio: { stdin: { data: 'some data\n' } } });
    const outcome = await handle.done;
    await over(handle);
    if (!exited('exit code', outcome, 3)) return outcome.signal;
    // Where the system says that nobody reads the input, the rest of it is dropped.
    const unread = fault?.call === 'write.pipe' && fault.error === constants.errno.EPIPE && handle.collected.stdout.readFrom(0).text === '';
    if (!unread) output('stdout', handle, 'stdout', 'some data\n');
    output('stderr', handle, 'stderr', 'err\n');
  },
  async spills() {
    const handle = spawn([dummy, 'write', '1', '200000', '65536', '0'], { stdio: { stdout: { maxBytes: 1000, spill: { maxBytes: 1e6 } } } });
    const outcome = await handle.done;
    await over(handle);
    if (!exited('exit code', outcome, 0)) return outcome.signal;
    const { drain, streams: { stdout: { bytes, spill } } } = handle.report();
    const { spillPath } = handle.collected.stdout.readFrom(0);
    if (drain === 'eof') same('bytes of the stream', bytes, 200_000);
    if (drain === 'eof') same('tail', handle.collected.stdout.readFrom(0).text, pattern(199_000, 200_000).toString());
    if (spillPath !== undefined && !readFileSync(spillPath).equals(pattern(0, bytes))) problems.push(`the file is not the stream (${spill})`);
  },
  async reads() {
    const handle = spawn([dummy, 'write', '1', '5000000', '65536', '0'], { stdio: { stdout: { maxBytes: 8e6 } } });
    const outcome = await handle.done;
    await over(handle);
    if (!exited('exit code', outcome, 0)) return outcome.signal;
    const { text } = handle.collected.stdout.readFrom(0);
    if (handle.report().drain === 'eof' && pattern(0, 5_000_000).toString() !== text) problems.push('the window is not the stream');
  },
  async pipes() {
    const handle = spawn(['/bin/cat'], { stdio: { stdin: 'pipe', stdout: 'pipe', control: 'pipe' } });
    handle.stdin.on('error', () => {});
    handle.control?.on('error', () => {});
    handle.stdin.end('through the pipe');
    const [text, outcome] = await Promise.all([buffer(handle.stdout), handle.done]);
    handle.control?.destroy();
    await over(handle);
    if (!exited('exit code', outcome, 0)) return outcome.signal;
    same('pipe', String(text), 'through the pipe');
  },
  async terminates() {
    const handle = sh('sleep 600 & setsid sh -c "echo there; sleep 600; :"');
    const started = handle.collected.stdout.changed(0);
    await Promise.race([started, handle.done]);
    handle.inspect();
    handle.terminate();
    await handle.done;
    await over(handle);
  },
  async misses() {
    const error = await spawn(['/no/such/program']).done.then(() => undefined, (reason) => reason);
    if (error === undefined) problems.push('a program that does not exist has run');
    else throw error;
  },
  async terminal() {
    const terminal = await runtime.spawnTerminal({ argv: ['/bin/sh', '-c', 'read x; echo "got $x"; exit 4'], cwd: '/', rows: 24, cols: 80, terminalType: 'dumb', graceMs: 2000 });
    const printed = buffer(terminal.output).catch(() => undefined);
    try {
      await terminal.resize(100, 30);
      await terminal.inspectForeground();
      await terminal.write('this\n');
      const outcome = await terminal.done;
      if (!exited('exit code on the terminal', outcome, 4)) return outcome.signal;
    } finally {
      await terminal.terminate();
    }
    const text = await printed;
    if (text !== undefined && !String(text).endsWith('got this\r\n')) problems.push(`terminal: ${JSON.stringify(String(text))}`);
  },
  async looks() {
    same('lookup', await runtime.resolveExecutable('sh', { PATH: '/bin' }), '/bin/sh');
    await runtime.diagnose();
  },
};

async function step(name, body) {
  let timer;
  const late = new Promise((resolve) => { timer = setTimeout(resolve, STEP_MS, 'late'); });
  const ended = body().then((signal) => signal ?? 'ok', (error) => {
    const typed = error instanceof Error && typeof error.code === 'string';
    if (!typed) problems.push(`${name}: ${error?.stack ?? error}`);
    return typed ? error.code : 'untyped';
  });
  outcomes[name] = await Promise.race([ended, late]);
  clearTimeout(timer);
  if (outcomes[name] === 'late') problems.push(`${name} did not end`);
}

for (const name of wanted) await step(name, steps[name]);
parentPort.postMessage({ kind: 'over' });
await new Promise((resolve) => parentPort.once('message', resolve)); // nothing fails any more
await step('next', steps.collects);
if (outcomes.next !== 'ok') problems.push(`the next command: ${outcomes.next}`);
await step('disposal', () => runtime.dispose());
parentPort.postMessage({ kind: 'result', outcomes, problems });
