// (b) The project's own sources and history, searched by a real tool.
import { fileURLToPath } from 'node:url';
import { SubprocessExecutableNotFoundError } from '../../dist/index.js';
import { expect, fact, heading, ms, say } from './screen.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const PATTERN = 'wait4|waitid|waitpid';
const TOOLS = [
  ['rg', '--line-number', '--no-heading', '--sort', 'path', '--', PATTERN, 'native', 'src', 'docs'],
  ['git', '--no-pager', 'grep', '--no-index', '-n', '-E', '-e', PATTERN, '--', 'native', 'src', 'docs'],
  ['grep', '-rnE', '-e', PATTERN, 'native', 'src', 'docs'],
];

export async function search(runtime) {
  heading("(b) Search the project's own sources and history");
  const [path, args] = await firstTool(runtime);
  const found = await collect(runtime, path, args);
  const hits = found.text.trimEnd().split('\n');
  fact('tool', `${path}, found by resolveExecutable`);
  fact('search', `${hits.length} lines match ${PATTERN}, ${ms(found.elapsedMs)}`);
  for (const hit of hits.slice(0, 4)) say(`    ${hit.slice(0, 110)}`);
  expect('the search found its own project', found.exitCode === 0 && hits.length > 0 && found.proofHolds, `exit code ${found.exitCode}`);

  const git = await lookup(runtime, 'git');
  const inside = git !== undefined && (await collect(runtime, git, ['rev-parse', '--is-inside-work-tree'])).exitCode === 0;
  if (!inside) return say('  (no git history here: this is a packed copy)');
  const history = await collect(runtime, git, ['--no-pager', 'log', '--oneline', '--stat']);
  fact('history', `${history.text.split('\n').length} lines of git log --stat, ${ms(history.elapsedMs)}`);
  expect('the history could be read', history.exitCode === 0 && history.text.length > 0, `exit code ${history.exitCode}`);
}

async function firstTool(runtime) {
  for (const [name, ...args] of TOOLS) {
    const path = await lookup(runtime, name);
    if (path !== undefined) return [path, args];
  }
  throw new Error('the demo needs rg, git or grep on PATH');
}

async function lookup(runtime, name) {
  try {
    return await runtime.resolveExecutable(name);
  } catch (error) {
    if (error instanceof SubprocessExecutableNotFoundError) return undefined;
    throw error;
  }
}

async function collect(runtime, path, args) {
  const started = performance.now();
  const output = { maxBytes: 4 * 1024 * 1024 };
  const handle = runtime.spawn({ argv: [path, ...args], cwd: root, stdio: { stdin: 'ignore', stdout: output, stderr: output }, graceMs: 2000 });
  const { exitCode } = await handle.done;
  const elapsedMs = performance.now() - started;
  const proofHolds = await handle.waitForExit();
  return { exitCode, elapsedMs, proofHolds, text: handle.collected.stdout.readFrom(0).text };
}
