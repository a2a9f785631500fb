import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { askHost, startHost } from '../support/host.ts';
import { provingOwners } from '../support/owners.ts';
import { ownMounts } from '../support/privilege.ts';
import { alive } from '../support/proc.ts';
import { runOnTerminal } from '../support/terminal-session.ts';
import { waitUntil } from '../support/until.ts';

leakFence();

describe('a shortage', () => {
  it.each([...provingOwners, 'group'])('of descriptors, held by %s: each allocation works or rejects with EMFILE, and nothing is left (230)', async (owner) => {
    const { answers, left, later } = await askHost<{ answers: string[]; left: string[]; later: string }>('terminal-shortage.mjs', [owner, '0', '16'], { before: 'ulimit -n 96' });
    expect(answers.filter((one) => one !== 'ok' && one !== 'EMFILE')).toEqual([]);
    expect(answers).toContain('EMFILE');
    expect({ left, later }).toEqual({ left: [], later: 'ok' });
  });

  it('of terminals rejects with ENOSPC, and passes when one is given back (230)', async () => {
    const facts = await askHost('few-terminals.mjs', [], { wrap: ownMounts });
    expect(facts).toEqual({ code: 'ENOSPC', stage: 'terminal', syscall: 'posix_openpt', pid: true });
  });
});

describe('the end of the host takes its terminals with it', () => {
  it.each([['exit', undefined], ['throw', undefined], ['wait', 'SIGKILL'], ['worker', undefined]] as const)('%s (284)', async (way, from) => {
    const host = startHost('terminal-owner.mjs', [way]);
    const { pids, warden } = await host.next<{ pids: number[]; warden: number }>();
    expect(pids).toHaveLength(3);
    if (from !== undefined) host.child.kill(from);
    await waitUntil('the end of everything', () => !pids.some(alive));
    if (way === 'worker') host.child.kill('SIGKILL');
    await host.result;
    if (warden > 0) await waitUntil('the end of the warden', () => !alive(warden));
  });
});

describe('a terminal type', () => {
  it('that does not exist is the matter of the program', async () => {
    const runtime = new LocalSubprocessRuntime();
    const { text } = await runOnTerminal(runtime, ['/bin/sh', '-c', 'echo "$TERM"'], { terminalType: 'no-such-terminal' });
    expect(text).toBe('no-such-terminal\r\n');
  });
});
