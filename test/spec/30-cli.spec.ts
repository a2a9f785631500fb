import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli, cliPath, collect, lastJson, nextNumber, runNode, startCli } from '../support/cli.ts';
import { leakFence } from '../support/fence.ts';
import { alive, tryRead } from '../support/proc.ts';
import { waitUntil, within } from '../support/until.ts';

const fence = leakFence();
/** For a stream that is read later: Node throws away what nobody listens to when the child exits. */
const later = (stream: Readable): void => void stream.on('readable', () => {});
const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
/** What `seq 1 count` prints. */
const numbers = (count: number): string => Array.from({ length: count }, (_, i) => `${i + 1}\n`).join('');
/** A shell script under holdfast. */
const script = (text: string, ...options: string[]): string[] => ['run', ...options, '--', 'sh', '-c', text];
/** Runs holdfast with a full disk as its standard output. */
const ontoFullDisk = `
  const { spawnSync } = require('node:child_process');
  const full = require('node:fs').openSync('/dev/full', 'w');
  process.exit(spawnSync(process.execPath, [process.argv[1], 'run', '--', 'echo', 'hi'], { stdio: ['ignore', full, 'inherit'] }).status);`;
/** Ignores what asks it to end, and prints its own number then. */
const deaf = 'trap "" TERM INT; echo $$; while :; do sleep 1; done';
/** The same, but it says when it was asked. */
const hears = 'trap "echo asked" TERM; trap "" INT; echo $$; while :; do sleep 1; done';
/** Exits with 4 and leaves such a daemon, which is ready: it holds what the substitution reads until it is. */
const leaves = `exec 3>&1; up=$(setsid sh -c 'trap "" TERM INT; echo $$ >&3; exec >&3; while :; do sleep 1; done' &); exit 4`;

describe('output that is not a terminal', () => {
  it('is passed through byte for byte, each stream on its own', async () => {
    const bytes = randomBytes(8 * 1024 * 1024 + 17);
    const file = join(fence.directory, 'bytes');
    writeFileSync(file, bytes);
    const { code, stdout, stderr } = await cli(script(`cat '${file}'; echo to-stderr >&2`));
    expect(code).toBe(0);
    rmSync(file);
    expect(digest(stdout)).toBe(digest(bytes));
    expect(stderr).toMatch(/^to-stderr\nholdfast: exit code 0 after /);
  });

  it('comes while the command still runs', async () => {
    const { child, stdout, stdin, closed } = startCli(script('echo 7; cat >&2'));
    expect(await within(30_000, 'the first line', nextNumber(stdout))).toBe(7);
    expect(child.exitCode).toBeNull();
    stdin.end();
    await closed;
  });

  it('is complete behind a slow reader, for whom the command waits', async () => {
    const { child, stdin, stdout, closed } = startCli(script('seq 1 1500000; echo end >&2', '--json', '--grace', '300ms'));
    stdin.end();
    let early = '';
    child.stderr!.on('data', (text: Buffer) => { early += text.toString(); });
    later(stdout);
    await delay(1000);
    expect(early).toBe(''); // seq is stuck in the pipe
    const bytes = await collect(stdout);
    await closed;
    expect(digest(bytes)).toBe(digest(Buffer.from(numbers(1_500_000))));
    expect(lastJson(early)).toMatchObject({ exitCode: 0, cause: 'exit', output: { stdout: bytes.length, stderr: 4 } });
  });

  it('can be cut off by the reader as in a pipeline: the command gets SIGPIPE, and holdfast reports it', async () => {
    const { child, stdin, stdout, closed } = startCli(['run', '--json', '--', 'yes']);
    stdin.end();
    await once(stdout, 'data');
    stdout.destroy();
    const stderr = collect(child.stderr!);
    const code = await within(30_000, 'the end', closed);
    expect(code).toBe(141);
    expect(lastJson((await stderr).toString()).outcome).toEqual({ exitCode: null, signal: 'SIGPIPE' });
  });

  it('does not change the exit code when nobody reads it', async () => {
    const { stdin, stdout, stderr, closed } = startCli(script('trap "" PIPE; sleep 0.2; echo lost 2>/dev/null; exit 3'));
    stdin.end();
    stdout.destroy();
    stderr.destroy();
    const code = await within(30_000, 'the end', closed);
    expect(code).toBe(3);
  });
});

/** What a run leaves on purpose, or a test has made. */
const clear = (): void => readdirSync(fence.directory).forEach((name) => rmSync(join(fence.directory, name), { recursive: true }));

describe('output that cannot be written', () => {
  it('is an error of holdfast, other than a reader that has gone', async () => {
    const { code, stderr } = await runNode(['-e', ontoFullDisk, cliPath]);
    expect(code).toBe(125);
    expect(stderr).toContain('holdfast: standard output could not be written, output was lost: ENOSPC');
  });
});

/** Said by a command that has written everything. */
const toldWritten = 'echo written >&2';
/** Waits until the command has said so; returns what gives all of standard error at its end. */
async function written(stderr: Readable): Promise<() => Promise<string>> {
  let text = '';
  const ended = once(stderr.on('data', (part: Buffer) => { text += part.toString(); }), 'end');
  await waitUntil('the command has written everything', () => text.includes('written\n'));
  return async () => {
    await ended;
    return text;
  };
}

describe('--spill with output that is not a terminal', () => {
  afterEach(clear);

  it('passes on everything although the reader is slow and the tail is short, and keeps a complete file', async () => {
    const { stdin, stdout, stderr, closed } = startCli(script(`seq 1 500000; ${toldWritten}`, '--json', '--tail', '4k', '--spill', '64m'));
    stdin.end();
    later(stdout);
    const report = await written(stderr);
    const bytes = await collect(stdout);
    await closed;
    const { report: { streams }, exitCode } = lastJson(await report());
    expect(exitCode).toBe(0);
    expect(bytes.toString()).toBe(numbers(500_000));
    expect(streams.stdout).toMatchObject({ bytes: bytes.length, retained: 4096, spill: 'complete' });
    expect(tryRead(streams.stdout.spillPath)).toBe(bytes.toString());
  });

  it('says how much was lost when the output outgrows the file while the reader is slow', async () => {
    const { stdin, stdout, stderr, closed } = startCli(script(`seq 1 500000; ${toldWritten}`, '--json', '--tail', '4k', '--spill', '8k'));
    stdin.end();
    later(stdout);
    const report = await written(stderr);
    const bytes = await collect(stdout);
    const code = await closed;
    const { error, output } = lastJson(await report());
    expect(code).toBe(125);
    expect(error.message).toBe(`${output.stdout - bytes.length} bytes of output were lost: the reader was slow and the output outgrew --spill; give a larger size`);
  });
});

describe('standard input', () => {
  it('reaches the command byte for byte', async () => {
    const input = randomBytes(4 * 1024 * 1024 + 3);
    const { code, stdout } = await cli(['run', '--', 'sha256sum'], { input });
    expect([code, stdout.toString()]).toEqual([0, `${digest(input)}  -\n`]);
  });

  it('need not be read', async () => {
    const { code, stdout } = await cli(['run', '--', 'head', '-c', '5'], { input: 'hello'.repeat(1_000_000) });
    expect([code, stdout.toString()]).toEqual([0, 'hello']);
  });

  it('may stay open when the command has ended', async () => {
    const { child } = startCli(['run', '--', 'true']);
    const [code] = await within(30_000, 'the end', once(child, 'exit'));
    expect(code).toBe(0);
  });
});

describe('the exit code', () => {
  beforeEach(() => {
    writeFileSync(join(fence.directory, 'text'), 'no program\n', { mode: 0o644 });
    mkdirSync(join(fence.directory, 'directory'));
  });
  afterEach(clear);

  it.each([
    ['is that of the command', script('exit 7'), 7, 'exit code 7'],
    ['is 128 + n after a signal', script('kill -KILL $$'), 137, 'ended by SIGKILL'],
    ['is 124 after --timeout', ['run', '--timeout', '2s', '--', 'sleep', '60'], 124, 'timeout, ended by SIGTERM'],
    ['is 124 after --timeout also when the command ends in order', script('trap "exit 0" TERM; sleep 60 & wait', '--timeout', '3s'), 124, 'timeout, exit code 0'],
    ['is 127 when the command is not found', ['run', '--', 'no-such-program'], 127, 'no-such-program'],
    ['is 127 when the path is not there', ['run', '--', '/no/such/program'], 127, '/no/such/program'],
    ['is 126 when the command may not be executed', ['run', '--', './text'], 126, 'EACCES'],
    ['is 126 when it is a directory', ['run', '--', './directory'], 126, 'EACCES'],
    ['is 125 when the working directory is not there', ['run', '--cwd', '/no/such/directory', '--', 'true'], 125, '/no/such/directory'],
    ['is 125 for a mistake on the command line', ['run', '--tial', '5', '--', 'true'], 125, 'did you mean --tail?'],
  ])('%s', async (_, args, code, text) => {
    const result = await cli(args, { cwd: fence.directory });
    expect([result.code, result.signal]).toEqual([code, null]);
    expect(result.stderr).toMatch(/^holdfast: /m);
    expect(result.stderr).toContain(text);
  });
});

describe('the command', () => {
  it('runs in --cwd with the variables of --env, and without those that look like secrets', async () => {
    const text = 'pwd; echo "$A|$B|${MY_TOKEN-unset}|$GIVEN_KEY"';
    const { stdout } = await cli(script(text, '--cwd', '/', '--env', 'A=1', '--env', 'GIVEN_KEY=x=y'), { env: { B: 'from outside', MY_TOKEN: 'secret' } });
    expect(stdout.toString()).toBe('/\n1|from outside|unset|x=y\n');
  });

  it.each(['subreaper', 'group'])('is held by the owner that --owner names: %s', async (owner) => {
    const { stderr } = await cli(['run', '--json', '--owner', owner, '--', 'true']);
    expect(lastJson(stderr)).toMatchObject({ exitCode: 0, report: { owner, proof: owner === 'group' ? 'observed' : 'proven' } });
  });

  it('cannot leave a daemon behind', async () => {
    const { code, stdout, stderr } = await cli(script(leaves, '--json', '--grace', '300ms'));
    const daemon = Number(stdout.toString());
    expect(daemon).toBeGreaterThan(1);
    expect(alive(daemon)).toBe(false);
    const { report } = lastJson(stderr);
    expect(code).toBe(4);
    expect(report).toMatchObject({ proof: 'proven', drain: 'deadline' });
    expect(report.strays.listed).toContainEqual({ pid: daemon, argv0: 'sh', endedBy: 'KILL' });
  });
});

describe('the report', () => {
  it('of --json is the last line on standard error, and standard output is the command’s alone', async () => {
    const { stdout, stderr } = await cli(script('echo out; echo err >&2; exit 2', '--json'));
    expect(stdout.toString()).toBe('out\n');
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toBe('err');
    expect(lastJson(stderr)).toMatchObject({
      holdfast: 1,
      command: ['sh', '-c', 'echo out; echo err >&2; exit 2'],
      exitCode: 2,
      cause: 'exit',
      outcome: { exitCode: 2, signal: null },
      output: { stdout: 4, stderr: 4 },
      report: { launch: 'started', drain: 'eof', proof: 'proven', strays: { count: 0, listed: [] } },
      warnings: [],
    });
  });

  it('of --json is there as well when nothing could be started', async () => {
    const { code, stderr } = await cli(['run', '--json', '--', 'no-such-program']);
    expect(lastJson(stderr)).toMatchObject({ exitCode: code, cause: 'error', outcome: null, error: { code: 'ENOENT' }, report: { launch: 'failed' } });
  });
});

describe('a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s ends the command with all its descendants, and then holdfast with %d', async (signal, expected) => {
    const { child, stdout, stderr } = startCli(script('sleep 300 & echo $!; sleep 300 & wait', '--json'));
    const report = collect(stderr);
    const sleeper = await nextNumber(stdout);
    child.kill(signal);
    const [code] = await within(30_000, 'the end', once(child, 'exit'));
    expect(code).toBe(expected);
    expect(alive(sleeper)).toBe(false);
    child.stdout!.destroy();
    expect(lastJson((await report).toString())).toMatchObject({ cause: 'interrupt', exitCode: expected, report: { proof: 'proven' } });
  });

  it('given twice does not wait for a command that is deaf to it', async () => {
    const { child, stdout } = startCli(script(hears, '--grace', '1h'));
    let text = '';
    stdout.on('data', (part: Buffer) => { text += part.toString(); });
    await waitUntil('the command is ready', () => text.includes('\n'));
    const command = Number.parseInt(text, 10);
    child.kill('SIGINT');
    // Two that come in one turn of the loop would be one.
    await waitUntil('the first one was taken', () => text.includes('asked\n'));
    expect([child.exitCode, alive(command)]).toEqual([null, true]);
    child.kill('SIGINT');
    const [code] = await within(30_000, 'the end', once(child, 'exit'));
    expect(code).toBe(130);
    await waitUntil('the command is gone', () => !alive(command));
  });

  it('does not wait for a reader that reads no more', async () => {
    const { child, stdout } = startCli(['run', '--grace', '300ms', '--', 'yes']);
    await once(stdout, 'readable');
    await delay(200);
    child.kill('SIGTERM');
    const [code] = await within(30_000, 'the end', once(child, 'exit'));
    expect(code).toBe(143);
    stdout.destroy();
    child.stderr!.destroy();
  });

  it('that kills holdfast itself ends the command as well', async () => {
    const { child, stdout } = startCli(script(`(setsid sh -c '${deaf}' &) ; sleep 300`));
    const daemon = await nextNumber(stdout);
    child.kill('SIGKILL');
    await waitUntil('the daemon is gone', () => !alive(daemon));
  });
});

describe('help', () => {
  it.each([
    [['--help'], /^holdfast: starts a command/],
    [['run', '--help'], /--timeout TIME/],
    [['--version'], /^\d+\.\d+\.\d+\n$/],
  ])('%j goes to standard output, exit code 0', async (args, text) => {
    const { code, stdout, stderr } = await cli(args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.toString()).toMatch(text);
  });
});
