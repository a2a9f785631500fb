// The second backend behind the same handle: what it shares with our own, and what it cannot.
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { dummy } from '../support/paths.ts';
import { pattern } from '../support/pattern.ts';
import { alive } from '../support/proc.ts';
import { rejection } from '../support/run.ts';
import { openTerminal, runOnTerminal, terminalSpec } from '../support/terminal-session.ts';
import { waitUntil, within } from '../support/until.ts';

leakFence();
const runtime = new LocalSubprocessRuntime({ terminalBackend: 'node-pty' });
const sh = (script: string): string[] => ['/bin/sh', '-c', script];

describe("terminalBackend: 'node-pty'", () => {
  it('delivers the output in order, and its end to who reads in time', async () => {
    let whole = 0;
    for (let round = 0; round < 20; round++) {
      const { bytes, outcome } = await runOnTerminal(runtime, dummy('raw-write', 20_000));
      expect(outcome).toEqual({ exitCode: 0, signal: null });
      // node-pty gives up 200 ms after the exit, and on a crowded machine reading may take longer.
      expect(pattern(0, 20_000).startsWith(bytes.toString('latin1'))).toBe(true);
      if (bytes.length === 20_000) whole += 1;
    }
    expect(whole).toBeGreaterThan(0);
  });

  it('rejects for a program or a directory that is missing, with the error of any launch', async () => {
    expect(await rejection(runtime.spawnTerminal(terminalSpec(['/no/such/program'])))).toMatchObject({ code: 'ENOENT', syscall: 'spawn /no/such/program' });
    expect(await rejection(runtime.spawnTerminal(terminalSpec(['no-such-program'])))).toMatchObject({ code: 'ENOENT' });
    expect(await rejection(runtime.spawnTerminal(terminalSpec(['/bin/true'], { cwd: '/no/such/directory' })))).toMatchObject({ code: 'ENOENT', syscall: 'chdir' });
  });

  it('takes input and sizes, and neither after the exit', async () => {
    const { terminal, screen } = await openTerminal(runtime, sh('read line; stty size; echo "got $line"'));
    await terminal.resize(99, 33);
    await terminal.write('this\n');
    await screen.until('33 99');
    await screen.until('got this');
    await terminal.done;
    for (const refused of [terminal.write('x'), terminal.resize(80, 24)]) expect(await rejection(refused)).toMatchObject({ code: 'TERMINAL_EXITED' });
    await terminal.terminate();
  });

  it('knows the foreground group and signals it', async () => {
    const { terminal, screen } = await openTerminal(runtime, ['/bin/sh', '-i'], { env: { PS1: '$ ', ENV: undefined } });
    await screen.until('$ ');
    expect(await terminal.inspectForeground()).toEqual({ processGroupId: terminal.pid, inputWaiting: false });
    expect(await rejection(terminal.signalForeground('SIGKILL'))).toMatchObject({ code: 'SHELL_IN_FOREGROUND' });
    await terminal.write("sh -c 'echo job=$$; exec sleep 50'\n");
    const job = Number((await screen.until(/job=(\d+)/))[1]);
    expect(await terminal.inspectActivity()).toMatchObject({ state: 'busy' });
    expect(await terminal.signalForeground('SIGINT')).toBe(job);
    await waitUntil('the end of the job', () => !alive(job));
    await terminal.terminate();
    expect(alive(terminal.pid)).toBe(false);
    expect(terminal.report()).toMatchObject({ owner: 'group', proof: 'observed' });
  });

  it('ends what ignores TERM and HUP, and what outlives its shell on the terminal', async () => {
    const { terminal, screen } = await openTerminal(runtime, sh('trap "" HUP TERM; sleep 60 & echo left=$!; exit 3'), { graceMs: 100 });
    const left = Number((await screen.until(/left=(\d+)/))[1]);
    expect(await within(30_000, 'done', terminal.done)).toEqual({ exitCode: 3, signal: null });
    await terminal.terminate();
    expect(alive(left)).toBe(false);
    const deaf = await openTerminal(runtime, dummy('ignore-term'), { graceMs: 100 });
    await deaf.screen.until('ready');
    await deaf.terminal.terminate();
    expect(await deaf.terminal.done).toEqual({ exitCode: null, signal: 'SIGKILL' });
  });

  it('ends with its runtime', async () => {
    const own = new LocalSubprocessRuntime({ terminalBackend: 'node-pty' });
    const { terminal } = await openTerminal(own, ['/bin/sleep', '60']);
    await own.dispose();
    expect(await terminal.done).toEqual({ exitCode: null, signal: 'SIGTERM' });
  });
});
