import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { alive, state } from '../support/proc.ts';
import { rejection } from '../support/run.ts';
import { openTerminal } from '../support/terminal-session.ts';
import { waitUntil } from '../support/until.ts';

leakFence();
const runtime = new LocalSubprocessRuntime();

/** A shell with job control, and the pid and group of a job in its foreground. */
async function shellWithJob(command = 'sleep 50') {
  const { terminal, screen } = await openTerminal(runtime, ['/bin/sh', '-i'], { env: { PS1: '$ ', ENV: undefined } });
  await screen.until('$ ');
  await terminal.write(`sh -c 'echo job=$$; exec ${command}'\n`);
  const job = Number((await screen.until(/job=(\d+)/))[1]);
  return { terminal, screen, job };
}

describe('the foreground', () => {
  it('is the group of the program itself, or of the job that a shell has put there (243, 244)', async () => {
    const { terminal, screen } = await openTerminal(runtime, ['/bin/sh', '-i'], { env: { PS1: '$ ', ENV: undefined } });
    await screen.until('$ ');
    expect(await terminal.inspectForeground()).toMatchObject({ processGroupId: terminal.pid });
    await terminal.write("sh -c 'echo job=$$; exec sleep 50'\n");
    const job = Number((await screen.until(/job=(\d+)/))[1]);
    expect(await terminal.inspectForeground()).toMatchObject({ processGroupId: job });
    await terminal.terminate();
  });

  it('is undefined once the program has exited (243)', async () => {
    const { terminal } = await openTerminal(runtime, ['/bin/true']);
    await terminal.done;
    expect(await terminal.inspectForeground()).toBeUndefined();
    await terminal.terminate();
  });
});

describe('signalForeground', () => {
  it('ends the job by SIGINT, and the shell lives on (249, 252)', async () => {
    const { terminal, screen, job } = await shellWithJob();
    expect(await terminal.signalForeground('SIGINT')).toBe(job);
    await waitUntil('the end of the job', () => !alive(job));
    await terminal.write('echo "status $?"\n');
    await screen.until('status 130');
    await terminal.terminate();
  });

  it('stops the job by SIGTSTP, and the shell has the terminal again (249, 252)', async () => {
    const { terminal, screen, job } = await shellWithJob();
    expect(await terminal.signalForeground('SIGTSTP')).toBe(job);
    await waitUntil('the stop of the job', () => state(job) === 'T');
    await waitUntil('the shell in the foreground', async () => (await terminal.inspectForeground())?.processGroupId === terminal.pid);
    await terminal.write('jobs\n');
    await screen.until(/Stopped/i);
    await terminal.terminate();
    expect(alive(job)).toBe(false);
  });

  it.each(['SIGTERM', 'SIGKILL', 'SIGHUP'] as const)('sends %s to the job (249)', async (signal) => {
    const { terminal, job } = await shellWithJob();
    expect(await terminal.signalForeground(signal)).toBe(job);
    await waitUntil('the end of the job', () => !alive(job));
    expect(alive(terminal.pid)).toBe(true);
    await terminal.terminate();
  });

  it('reaches every member of a pipeline', async () => {
    const { terminal, screen } = await openTerminal(runtime, ['/bin/sh', '-i'], { env: { PS1: '$ ', ENV: undefined } });
    await screen.until('$ ');
    await terminal.write("sh -c 'echo a=$$ >&2; exec sleep 50' | sh -c 'echo b=$$ >&2; exec sleep 50'\n");
    const pids = [Number((await screen.until(/a=(\d+)/))[1]), Number((await screen.until(/b=(\d+)/))[1])];
    await terminal.signalForeground('SIGKILL');
    await waitUntil('the end of both', () => !pids.some(alive));
    await terminal.terminate();
  });

  it('reaches a group whose leader has ended before it', async () => {
    const { terminal, screen } = await openTerminal(runtime, ['/bin/sh', '-i'], { env: { PS1: '$ ', ENV: undefined } });
    await screen.until('$ ');
    await terminal.write("true | sh -c 'echo left=$$; exec sleep 50'\n");
    const left = Number((await screen.until(/left=(\d+)/))[1]);
    const { processGroupId } = (await terminal.inspectForeground())!;
    expect(processGroupId).not.toBe(left);
    await waitUntil('the end of the leader', () => !alive(processGroupId));
    expect(await terminal.signalForeground('SIGKILL')).toBe(processGroupId);
    await waitUntil('the end of what was left', () => !alive(left));
    await terminal.terminate();
  });

  it('refuses to KILL the program itself, and sends it anything else (250)', async () => {
    const { terminal } = await openTerminal(runtime, ['/bin/sleep', '50']);
    expect(await rejection(terminal.signalForeground('SIGKILL'))).toMatchObject({
      code: 'SHELL_IN_FOREGROUND',
      message: 'refusing to SIGKILL the terminal shell; terminate the terminal session instead',
    });
    expect(alive(terminal.pid)).toBe(true);
    expect(await terminal.signalForeground('SIGHUP')).toBe(terminal.pid);
    expect(await terminal.done).toEqual({ exitCode: null, signal: 'SIGHUP' });
    await terminal.terminate();
  });

  it('says so when there is nobody (251)', async () => {
    const { terminal } = await openTerminal(runtime, ['/bin/true']);
    await terminal.done;
    expect(await rejection(terminal.signalForeground('SIGINT'))).toMatchObject({
      code: 'NO_FOREGROUND',
      message: `cannot resolve foreground process group for terminal ${terminal.pid}`,
    });
    await terminal.terminate();
  });

  it.each(['SIGQUIT', 'SIGSTOP', 'INT', 2])('refuses %s (249)', async (signal) => {
    const { terminal } = await openTerminal(runtime, ['/bin/sleep', '50']);
    expect(await rejection(terminal.signalForeground(signal as never))).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE' });
    await terminal.terminate();
  });
});
