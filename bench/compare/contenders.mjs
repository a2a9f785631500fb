// One way to start, await and stop a command, as each library offers it with its own defaults.
import { execFile, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { collect, LocalSubprocessRuntime } from '../../dist/index.js';

const tool = createRequire(new URL('../../tools/compare/package.json', import.meta.url));
const pty = () => createRequire(import.meta.url)('node-pty');
const execa = async () => (await import(pathToFileURL(tool.resolve('execa')).href)).execa;
const COLLECTED = { maxBytes: 1 << 20 };

/** `start` gives `{ done, stop }`; `all` gives the output of a command to its end. */
export const CONTENDERS = {
  Holdfast: {
    async start(argv, cwd = '/') {
      const handle = new LocalSubprocessRuntime().spawn({ argv, cwd, graceMs: 500, stdio: { stdin: 'ignore', stdout: COLLECTED, stderr: COLLECTED } });
      return { done: handle.done, stop: () => handle.terminate() };
    },
    all: async (argv) => (await collect(argv)).stdout.totalBytes,
  },
  child_process: {
    async start([file, ...args], cwd = '/') {
      const child = spawn(file, args, { cwd });
      child.stdout.resume();
      const done = new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
      return { done, stop: () => child.kill() };
    },
    all: ([file, ...args]) => new Promise((resolve, reject) => execFile(file, args, { encoding: 'buffer' }, (error, stdout) => (error ? reject(error) : resolve(stdout.length)))),
  },
  execa: {
    async start([file, ...args], cwd = '/') {
      const child = (await execa())(file, args, { cwd });
      return { done: child, stop: () => child.kill() };
    },
    all: async ([file, ...args]) => (await (await execa())(file, args, { encoding: 'buffer' })).stdout.length,
  },
  'node-pty': {
    async start([file, ...args], cwd = '/') {
      const terminal = pty().spawn(file, args, { cwd });
      let shown = '';
      terminal.onData((text) => { shown += text; });
      const done = new Promise((resolve, reject) => terminal.onExit(({ exitCode }) => (exitCode === 0 ? resolve() : reject(new Error(shown.trim() || `exit code ${exitCode}`)))));
      return { done, stop: () => terminal.kill() };
    },
  },
};
