import type { Context } from '@deepseek-ai/cordis';
import LocalBashExecutor from '@deepseek-ai/dsh-bash-local';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compose, type Composition } from '../support/dsh.ts';
import { leakFence } from '../support/fence.ts';
import { alive } from '../support/proc.ts';
import { timed, waitUntil, within } from '../support/until.ts';

const fence = leakFence();
let host: Composition;
let shell: LocalBashExecutor;

beforeEach(async () => {
  host = await compose();
  await host.ctx.plugin(LocalBashExecutor, { cwd: fence.directory, graceMs: 400, maxOutputBytes: 1000 });
  shell = (host.ctx as Context & { shell: LocalBashExecutor }).get('shell') as LocalBashExecutor;
});
afterEach(() => host.dispose());

type Request = Omit<Parameters<LocalBashExecutor['resolve']>[0], 'command'>;
const spec = (command: string, more: Partial<Request> = {}) => shell.resolve({ command, ...more } as Parameters<LocalBashExecutor['resolve']>[0]);
const run = (command: string, more?: Partial<Request>) => within(30_000, command, shell.run(spec(command, more)));

describe('the published bash executor on holdfast/dsh', () => {
  it('runs a command in the foreground: both outputs, exit code, stdin, environment, directory', async () => {
    const result = await run('cat; echo "$PAGER $GIVEN" >&2; pwd; exit 3', { stdin: 'given\n', env: { GIVEN: 'ü' } });
    expect(result).toMatchObject({
      exitCode: 3, signal: null, timedOut: false, aborted: false,
      stdout: { text: `given\n${fence.directory}\n`, truncated: false }, stderr: { text: 'cat ü\n', truncated: false },
    });
  });

  it('cuts output to its tail, and shows where the whole of it is', async () => {
    const { stdout } = await run('seq 1 5000');
    const whole = Array.from({ length: 5000 }, (_, at) => `${at + 1}\n`).join('');
    expect(stdout).toMatchObject({ text: whole.slice(-1000), truncated: true });
    expect(readFileSync(stdout.spillPath as string, 'utf8')).toBe(whole);
    rmSync(dirname(stdout.spillPath as string), { recursive: true });
  });

  it('ends a command at its deadline, with everything that it started', async () => {
    const result = await within(30_000, 'the end', run('sleep 60 & setsid sleep 60 & echo $!; wait', { timeoutMs: 3000 }));
    expect(result).toMatchObject({ timedOut: true, aborted: false, signal: 'SIGTERM' });
    await waitUntil('its children are gone', () => !alive(Number(result.stdout.text)));
  });

  it('ends a command that is aborted, and says so', async () => {
    const controller = new AbortController();
    const marker = join(fence.directory, 'up');
    const result = run(`echo > '${marker}'; sleep 60`, { signal: controller.signal });
    await waitUntil('it is up', () => existsSync(marker));
    controller.abort();
    expect(await result).toMatchObject({ timedOut: false, aborted: true, signal: 'SIGTERM' });
    rmSync(marker);
  });

  it('refuses a command whose signal was aborted before', async () => {
    await expect(run('true', { signal: AbortSignal.abort() })).rejects.toThrow('aborted before spawn');
  });

  it('settles a command whose daemon keeps the pipe, within the grace', async () => {
    const [ms, result] = await timed(() => within(30_000, 'the end', run('sleep 60 & echo $!')));
    expect(result.exitCode).toBe(0);
    expect(ms).toBeGreaterThan(350);
  });

  it('runs in the background: reads by offset never repeat, and the end is told', async () => {
    const go = join(fence.directory, 'go');
    const job = shell.start(spec(`echo one; until [ -e '${go}' ]; do sleep 0.02; done; echo two >&2; echo three`));
    let seen = '';
    await waitUntil('the first line', () => (seen += job.readOutput().delta).includes('one'));
    writeFileSync(go, '');
    await within(30_000, 'the job', job.done);
    rmSync(go);
    seen += job.readOutput().delta;
    expect([job.status, job.exitCode]).toEqual(['completed', 0]);
    expect(seen).toBe('one\nthree\n[stderr]\ntwo\n');
    expect(job.readOutput()).toMatchObject({ delta: '', lossy: false });
  });

  it('kills a background job', async () => {
    const job = shell.start(spec('trap "" TERM; echo up; sleep 60'));
    await waitUntil('it is up', () => job.readOutput().delta.includes('up'));
    expect(job.kill()).toBe(true);
    await within(30_000, 'the job', job.done);
    expect(job).toMatchObject({ status: 'killed', exitCode: null });
    expect(job.kill()).toBe(false);
  });

  it('tells of a start that failed', async () => {
    const job = shell.start(spec('true', { workdir: '/no/such' }));
    await job.done;
    expect(job.status).toBe('killed');
    expect(job.readOutput().delta).toContain('spawn failed: Error: chdir /no/such ENOENT');
  });

  it('leaves nothing of a background job when the composition ends', async () => {
    const job = shell.start(spec('setsid sleep 60 & echo $!; wait'));
    let seen = '';
    await waitUntil('its child', () => (seen += job.readOutput().delta).endsWith('\n'));
    expect(alive(Number(seen))).toBe(true);
    await within(30_000, 'disposal', host.dispose());
    expect(alive(Number(seen))).toBe(false);
    expect(job.status).toBe('killed');
  });
});
