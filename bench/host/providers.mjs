// The contenders that live in Node. Each gives `start({ argv, cwd, tail, spill })` → `{ done, output() }`, where `done`
// resolves with the exit code and `output()` tells the bytes of stdout and the text of stderr.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import * as peers from './peers.mjs';

const ERROR_TAIL = 4096;

/** Holdfast and dsh share the seam, so one form of asking fits both. */
function overSeam(runtime) {
  return ({ argv, cwd = '/', tail = 65536, spill, graceMs = 5000 }) => {
    const stdout = { maxBytes: tail, ...(spill === undefined ? {} : { spill: { maxBytes: spill } }) };
    const handle = runtime.spawn({ argv, cwd, graceMs, stdio: { stdin: 'ignore', stdout, stderr: { maxBytes: ERROR_TAIL } } });
    return {
      handle,
      done: handle.done.then(({ exitCode }) => exitCode),
      output() {
        const { nextOffset, spillPath } = handle.collected.stdout.readFrom(0);
        return { bytes: nextOffset, stderr: handle.collected.stderr.readFrom(0).text, spillPath };
      },
    };
  };
}

async function holdfast({ owner, spillDirectory }) {
  const { LocalSubprocessRuntime } = await import('../../dist/index.js');
  const runtime = new LocalSubprocessRuntime({ ownership: owner, spillDirectory });
  return { runtime, start: overSeam(runtime), openTerminal: ownTerminals(runtime), end: () => runtime.dispose() };
}

function ownTerminals(runtime) {
  return async ({ argv }) => {
    const terminal = await runtime.spawnTerminal({ argv, cwd: '/', rows: 24, cols: 80, terminalType: 'xterm-256color', graceMs: 5000 });
    const ended = new Promise((resolve, reject) => terminal.output.once('end', resolve).once('error', reject));
    return {
      onData: (use) => { terminal.output.on('data', use); },
      write: (text) => { void terminal.write(text); },
      ended: Promise.all([ended, terminal.done]),
      foreground: () => terminal.inspectForeground(),
    };
  };
}

/** At its best: bytes as they come, not decoded. */
async function nodePty() {
  const { spawn } = await import('node-pty');
  return {
    async openTerminal({ argv }) {
      const terminal = spawn(argv[0], argv.slice(1), { name: 'xterm-256color', cols: 80, rows: 24, cwd: '/', encoding: null });
      // It has no end of output; the exit event is what its users take for it.
      const ended = new Promise((resolve) => terminal.onExit(resolve));
      return { onData: (use) => { terminal.onData(use); }, write: (text) => terminal.write(text), ended };
    },
    end() {},
  };
}

/** A composition with the published provider, from the folder that bench/lib/dsh.mjs has installed it into. */
async function dsh() {
  const require = createRequire(new URL('../../build/bench/dsh/package.json', import.meta.url));
  const load = (name) => import(pathToFileURL(require.resolve(name)).href);
  return composed(await load('@deepseek-ai/cordis'), await load('@deepseek-ai/dsh-subprocess-local'));
}

/** The same composition with ours. */
async function holdfastDsh() {
  return composed(await import('@deepseek-ai/cordis'), await import('../../dist/adapters/dsh.js'));
}

async function composed({ Context }, { default: Provider }) {
  const context = new Context();
  const scope = await context.plugin(Provider);
  const runtime = context.get('subprocess');
  return { runtime, start: overSeam(runtime), end: () => scope.dispose() };
}

/** Keeps no tail, so that it is compared at its best: it only counts. */
async function childProcess() {
  return {
    start({ argv, cwd = '/' }) {
      const child = spawn(argv[0], argv.slice(1), { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
      let [bytes, stderr] = [0, ''];
      child.stdout.on('data', (part) => { bytes += part.length; });
      child.stderr.on('data', (part) => { stderr += part; });
      const done = new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => resolve(code));
      });
      return { done, output: () => ({ bytes, stderr }) };
    },
    end() {},
  };
}

const providers = { holdfast, dsh, 'holdfast-dsh': holdfastDsh, child_process: childProcess, 'node-pty': nodePty, ...peers };

export const openProvider = (name, options) => providers[name](options);
