import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { collecting, run } from '../support/run.ts';
import { within } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();
let place: string;
beforeEach(() => { place = mkdtempSync(join(fence.directory, 'real-')); });
afterEach(() => { rmSync(place, { recursive: true, force: true }); });

/** Runs a program found on PATH, and expects that it ends well by itself and leaves nothing to be ended. */
async function well(argv: readonly [string, ...string[]], env: Record<string, string> = {}): Promise<string> {
  const program = await runtime.resolveExecutable(argv[0]);
  const { outcome, stdout, stderr, handle } = await run(runtime, [program, ...argv.slice(1)], place, { env: { HOME: place, ...env }, graceMs: 15_000 });
  expect({ argv, ...outcome, stderr: outcome.exitCode === 0 ? '' : stderr }).toEqual({ argv, exitCode: 0, signal: null, stderr: '' });
  expect(handle.report()).toMatchObject({ drain: 'eof', strays: { count: 0 }, escaped: { count: 0 } });
  return stdout;
}

describe('programs that agents run', () => {
  it('git: a repository, a commit, a log, a diff', async () => {
    await well(['git', 'init', '-q', '.']);
    writeFileSync(join(place, 'ä file.txt'), 'one\ntwo\n');
    const who = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.org', GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.org' };
    await well(['git', 'add', '-A']);
    await well(['git', 'commit', '-q', '-m', 'Erster Stand: größer'], who);
    expect(await well(['git', 'log', '--format=%s'])).toBe('Erster Stand: größer\n');
    writeFileSync(join(place, 'ä file.txt'), 'one\nthree\n');
    expect(await well(['git', '-c', 'core.quotePath=false', 'diff', '--stat'])).toContain('ä file.txt');
    expect(await well(['git', '-c', 'core.quotePath=false', 'grep', '-n', 'three'])).toBe('ä file.txt:2:three\n');
  });

  it('tar and gzip: an archive through pipes of a shell comes back the same', async () => {
    mkdirSync(join(place, 'in'));
    for (let i = 0; i < 50; i++) writeFileSync(join(place, 'in', `${i}.txt`), `${i} `.repeat(5000));
    await well(['sh', '-c', 'tar -cf - in | gzip -1 > all.tgz && mkdir out && gzip -dc all.tgz | tar -xf - -C out']);
    expect(await well(['diff', '-r', 'in', 'out/in'])).toBe('');
  });

  it('sh: pipelines, here-documents, exit codes, SIGPIPE as a terminal has it (305)', async () => {
    expect(await well(['sh', '-c', 'seq 1 1000 | grep 7 | wc -l | tr -d " "'])).toBe('271\n');
    expect(await well(['sh', '-c', 'cat <<END\n$((6 * 7))\nEND'])).toBe('42\n');
    expect(await well(['bash', '-c', 'yes | head -1 > /dev/null; echo "${PIPESTATUS[0]}"'])).toBe('141\n');
  });

  it('find and xargs over many files', async () => {
    for (let i = 0; i < 300; i++) writeFileSync(join(place, `f${i}`), 'x');
    expect(await well(['sh', '-c', 'find . -type f -print0 | xargs -0 -n 20 -P 4 cat | wc -c | tr -d " "'])).toBe('300\n');
  });

  it('cc: compiles a program, which runs', async () => {
    writeFileSync(join(place, 'hello.c'), '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n');
    await well(['cc', '-o', 'hello', 'hello.c']);
    expect((await run(runtime, ['./hello'], place)).stdout).toBe('hello\n');
    const wrong = await run(runtime, ['cc', '-c', 'missing.c'], place);
    expect(wrong.outcome.exitCode).not.toBe(0);
    expect(wrong.stderr).toContain('missing.c');
  });

  it('node: a script on stdin, with large output and an exit code', async () => {
    const script = 'process.stdout.write("x".repeat(3_000_000) + "end"); process.exitCode = 3;';
    const handle = runtime.spawn({ ...collecting([process.execPath, '-'], place), graceMs: 10_000, stdio: { stdin: { data: script }, stdout: { maxBytes: 100 }, stderr: { maxBytes: 10_000 } } });
    expect(await within(30_000, 'node', handle.done)).toEqual({ exitCode: 3, signal: null });
    expect(handle.collected.stdout.readFrom(0)).toMatchObject({ nextOffset: 3_000_003, lossy: true });
    expect(handle.collected.stdout.readFrom(0).text).toMatch(/^x+end$/);
  });

  it('npm: runs a script of a package and passes its exit code on', async () => {
    writeFileSync(join(place, 'package.json'), JSON.stringify({ name: 'x', version: '1.0.0', scripts: { say: 'echo said', fail: 'exit 9' } }));
    const quiet = { NODE_DISABLE_COMPILE_CACHE: '1', npm_config_update_notifier: 'false', npm_config_cache: join(place, '.npm'), npm_config_loglevel: 'silent' };
    expect(await well(['npm', 'run', '-s', 'say'], quiet)).toBe('said\n');
    const failed = await run(runtime, ['npm', 'run', '-s', 'fail'], place, { env: { HOME: place, ...quiet }, graceMs: 15_000 });
    expect(failed.outcome).toEqual({ exitCode: 9, signal: null });
  });

  it('a shell that waits for input is given its end', async () => {
    expect(await well(['sh', '-c', 'cat; read -r x; echo "rest: $x"'])).toBe('rest: \n');
  });
});
