// A random specification, the same for the same seed, and what child_process, execa and Holdfast make of it: only facts that
// all three can tell.
import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { execa } from 'execa';
import { fileURLToPath } from 'node:url';
import { Random } from '../soak/random.mjs';

const dummy = fileURLToPath(new URL('../../build/test/dummy', import.meta.url));
const CAP = 1 << 20;

/** Text that is hard to pass on: blanks, quotes, backslashes, line breaks, what a shell would expand, and any letter. */
function text(random) {
  const parts = ['', ' ', '"', "'", '\\', '\n', '\t', '$HOME', '`x`', '*', '--', '=', 'ä', '終', '🜁', 'plain', '%PATH%', '\u0001', '\u007f'];
  return Array.from({ length: random.below(5) }, () => random.one(parts)).join('');
}

export function specification(seed) {
  const random = new Random(seed);
  const env = Object.fromEntries(Array.from({ length: random.below(4) }, (_, at) => [`GIVEN_${at}`, text(random)]));
  const cwd = random.one(['/', '/tmp', '/usr/lib', '/no/such/directory', '/etc/passwd']);
  const stdin = random.below(2) === 0 ? undefined : Array.from({ length: random.below(30) }, () => text(random)).join('').repeat(1 + random.below(300));
  const argv = random.one([
    () => [dummy, 'exit', String(random.below(256))],
    () => [dummy, 'kill', String(random.one([1, 2, 3, 6, 9, 11, 13, 15]))],
    () => [dummy, 'write', String(random.one([1, 2])), String(random.below(120_000)), String(1 + random.below(70_000)), '0'],
    () => [dummy, 'hex', String(random.one([1, 2])), String(1 + random.below(3)), ...Array.from({ length: random.below(40) }, () => random.below(256).toString(16).padStart(2, '0'))],
    () => [dummy, 'cat'],
    () => ['cat'],
    () => ['/bin/sh', '-c', 'printf "[%s]" "$@"; pwd', 'sh', ...Array.from({ length: random.below(6) }, () => text(random))],
    () => ['sh', '-c', 'printf %s "$GIVEN_0|$GIVEN_1|$GIVEN_2" >&2; cat; exit $(( $$ % 1 + 7 ))'],
    () => ['/bin/sh', '-c', 'echo out; echo err >&2; kill -9 $$'],
    () => random.one([['/no/such/program'], ['no-such-program', 'x'], ['/etc/passwd'], ['/usr/lib']]),
  ])();
  return { argv, cwd, env, stdin };
}

const facts = (exitCode, signal, stdout, stderr) => ({ exitCode: exitCode ?? null, signal: signal ?? null, stdout: Buffer.from(stdout).toString('latin1'), stderr: Buffer.from(stderr).toString('latin1') });
/** child_process tells a missing directory as a missing program: only that it did not start is asked of all. */
const refused = (error) => ({ refused: ['ENOENT', 'EACCES', 'ENOTDIR'].includes(error.code) ? 'ENOENT, EACCES or ENOTDIR' : String(error.code ?? error.stack) });

export const players = {
  async child_process({ argv: [program, ...args], cwd, env, stdin }) {
    let child;
    try {
      child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
    } catch (error) {
      return refused(error); // it throws the errors that are not among the usual ones
    }
    child.stdin?.on('error', () => {}); // nobody reads
    child.stdin?.end(stdin);
    const ended = new Promise((resolve) => {
      child.on('error', (error) => resolve(refused(error)));
      child.on('close', (code, signal) => resolve({ code, signal }));
    });
    const [stdout, stderr, end] = await Promise.all([buffer(child.stdout), buffer(child.stderr), ended]);
    return 'refused' in end ? end : facts(end.code, end.signal, stdout, stderr);
  },

  async execa({ argv: [program, ...args], cwd, env, stdin }) {
    const result = await execa(program, args, { cwd, env, ...(stdin === undefined ? { stdin: 'ignore' } : { input: stdin }), encoding: 'buffer', reject: false, stripFinalNewline: false, preferLocal: false });
    if (result.exitCode === undefined && result.signal === undefined) return refused(result);
    return facts(result.exitCode, result.signal, result.stdout, result.stderr);
  },

  async holdfast({ argv, cwd, env, stdin }, { runtime }) {
    const collect = { maxBytes: CAP };
    const handle = runtime.spawn({ argv, cwd, env, graceMs: 20_000, stdio: { stdin: stdin === undefined ? 'ignore' : { data: stdin }, stdout: collect, stderr: collect } });
    const end = await handle.done.then((outcome) => outcome, refused);
    await handle.waitForExit();
    if ('refused' in end) return end;
    return facts(end.exitCode, end.signal, handle.collected.stdout.readBytes(0).bytes, handle.collected.stderr.readBytes(0).bytes);
  },
};
