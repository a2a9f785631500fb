// The contenders that live in Node. Each gives `start({ argv, cwd, tail, spill })` → `{ done, output() }`, where `done`
// resolves with the exit code and `output()` tells the bytes of stdout and the text of stderr.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

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
  return { runtime, start: overSeam(runtime), end: () => runtime.dispose() };
}

async function dsh() {
  const require = createRequire(new URL('../../build/bench/dsh/package.json', import.meta.url));
  const load = (name) => import(pathToFileURL(require.resolve(name)).href);
  const { Context } = await load('@deepseek-ai/cordis');
  const { default: LocalSubprocess } = await load('@deepseek-ai/dsh-subprocess-local');
  const context = new Context();
  const scope = await context.plugin(LocalSubprocess);
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

const providers = { holdfast, dsh, child_process: childProcess };

export const openProvider = (name, options) => providers[name](options);
