import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { alive } from '../support/proc.ts';
import { homes, openSession, openShell, SHELLS } from '../support/shells.ts';
import { waitUntil } from '../support/until.ts';

leakFence();
const runtime = new LocalSubprocessRuntime();
const home = homes()({});

describe.each(SHELLS)('the activity of %s', (shell) => {
  it('is idle at the prompt, with a revision that stays as it is (255, 258, 261, 270)', async () => {
    const { terminal, activity, becomes } = await openShell(runtime, shell, home);
    const first = await becomes('idle');
    expect(first.revision).toBeGreaterThanOrEqual(1);
    for (let i = 0; i < 20; i++) expect(await activity()).toEqual(first);
    expect(await Promise.all([activity(), activity(), activity()])).toEqual([first, first, first]);
    await terminal.terminate();
  });

  it('is busy during a foreground child, a loop of the shell itself, and `read`; idle again after Ctrl-C (259, 261)', async () => {
    const { terminal, becomes, enter, sleeps } = await openShell(runtime, shell, home);
    let { revision } = await becomes('idle');
    for (const line of ['sleep 300', 'while :; do :; done', 'read -r answer']) {
      await enter(line);
      const busy = await becomes('busy');
      if (line.startsWith('sleep')) await sleeps('sleep');
      await terminal.write('\x03');
      const idle = await becomes('idle');
      expect([busy.revision > revision, idle.revision > busy.revision]).toEqual([true, true]);
      revision = idle.revision;
    }
    await terminal.terminate();
  });

  it('is busy at the prompt while a job runs in the background or is stopped (260)', async () => {
    const { terminal, becomes, enter, activity, sleeps } = await openShell(runtime, shell, home);
    await becomes('idle');
    await enter('sleep 300 &');
    await becomes('busy');
    await enter('kill %1');
    await becomes('idle');
    await enter('sleep 300');
    await sleeps('sleep');
    await terminal.write('\x1a');
    await waitUntil('the shell has the terminal', async () => (await terminal.inspectForeground())?.processGroupId === terminal.pid);
    expect((await activity()).state).toBe('busy');
    await enter('kill -9 %+');
    await becomes('idle');
    await terminal.terminate();
  });

  it('is unknown after input or a signal, until the next prompt (253, 262)', async () => {
    const { terminal, becomes, enter, activity } = await openShell(runtime, shell, home);
    await becomes('idle');
    await terminal.write('echo unfinished');
    for (let i = 0; i < 20; i++) expect((await activity()).state).toBe('unknown');
    await enter('');
    await becomes('idle');
    await terminal.signalForeground('SIGINT');
    // A prompt of its own follows the signal.
    await becomes('idle');
    await terminal.terminate();
  });

  it('is not idle between two lines that were typed at once (258, 262)', async () => {
    const { terminal, becomes, enter } = await openShell(runtime, shell, home);
    await becomes('idle');
    for (let round = 0; round < 5; round++) {
      const file = join(home, `done-${round}`);
      await enter(`x=$((0)); while ((x < 20000)); do x=$((x + 1)); done\rx=0; while ((x < 20000)); do x=$((x + 1)); done; : >${file}`);
      await becomes('idle');
      expect(existsSync(file)).toBe(true);
    }
    await terminal.terminate();
  });

  it('is not disturbed by processes that end elsewhere on the machine (269)', async () => {
    const { terminal, activity, becomes } = await openShell(runtime, shell, home);
    const first = await becomes('idle');
    const churn = spawn('sh', ['-c', 'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i + 1)); done'], { stdio: 'ignore' });
    const ended = once(churn, 'exit');
    let looks = 0;
    for (; churn.exitCode === null && churn.signalCode === null; looks++) expect(await activity()).toEqual(first);
    await ended;
    expect(looks).toBeGreaterThan(0);
    await terminal.terminate();
  });

  it('is unknown for another shell that takes the place of the first (257)', async () => {
    const { terminal, activity, becomes, enter, shows, waits } = await openShell(runtime, shell, home);
    await becomes('idle');
    await enter(`PS1='other''> ' exec ${shell} ${shell === 'bash' ? '--norc' : '-f'} -i`);
    await shows('other> ');
    await waits();
    for (let i = 0; i < 20; i++) expect((await activity()).state).toBe('unknown');
    await terminal.terminate();
  });

  it('is idle once everything is over, and busy while work outlives the shell (267, 268)', async () => {
    const { terminal, activity, becomes, enter, shows } = await openShell(runtime, shell, home);
    await becomes('idle');
    await enter(`sh -c 'trap "" HUP; echo "left=$$"; exec sleep 300' & disown; sleep 0.2`);
    const left = Number(await shows(/left=(\d+)/));
    await becomes('busy');
    await enter('exit');
    await terminal.done;
    expect((await activity()).state).toBe('busy');
    expect(alive(left)).toBe(true);
    await terminal.terminate();
    expect(alive(left)).toBe(false);
    expect((await activity()).state).toBe('idle');
  });

  it('is idle when the shell has ended and left nothing (268)', async () => {
    const { terminal, becomes, enter } = await openShell(runtime, shell, home);
    await becomes('idle');
    await enter('exit');
    await terminal.done;
    await becomes('idle');
    await terminal.terminate();
  });
});

describe('activity without evidence of prompts', () => {
  it('is unknown at the prompt and busy with a child, unless it was asked for (256)', async () => {
    const { terminal, activity, becomes, enter, waits, sleeps } = await openShell(runtime, 'bash', home, { shellActivity: false });
    await waits();
    const first = await activity();
    expect(first).toEqual({ state: 'unknown', revision: 1 });
    await enter('sleep 300');
    await sleeps('sleep');
    expect(await activity()).toEqual({ state: 'busy', revision: 2 });
    await terminal.write('\x03');
    expect(await becomes('unknown')).toEqual({ state: 'unknown', revision: 3 });
    await terminal.terminate();
  });

  it.each([['sh', '-i'], ['bash'], ['bash', '--norc', '-i'], ['bash', '-i', '-l']])('is unknown at the prompt of %s %s %s: only `bash -i` and `zsh -i` are watched (257)', async (...argv: string[]) => {
    const { terminal, activity, waits } = await openSession(runtime, argv, home, { shellActivity: true, env: { HOME: home } });
    await waits();
    for (let i = 0; i < 10; i++) expect((await activity()).state).toBe('unknown');
    await terminal.terminate();
  });

  it('ends with the shell, and takes along what that leaves (267)', async () => {
    const { terminal, enter, shows } = await openShell(runtime, 'bash', home, { shellActivity: false });
    await enter(`sh -c 'trap "" HUP; echo "left=$$"; exec sleep 300' & disown`);
    const left = Number(await shows(/left=(\d+)/));
    await enter('exit');
    await terminal.done;
    await waitUntil('the rest is gone', () => !alive(left));
    await terminal.terminate();
  });
});
