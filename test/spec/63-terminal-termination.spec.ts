import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { provingOwners } from '../support/owners.ts';
import { dummy, dummyPath } from '../support/paths.ts';
import { alive } from '../support/proc.ts';
import { openTerminal } from '../support/terminal-session.ts';
import { timed, waitUntil, within } from '../support/until.ts';

leakFence();
const sh = (script: string): string[] => ['/bin/sh', '-c', script];

describe.each(provingOwners)('a terminal held by %s', (owner) => {
  const runtime = new LocalSubprocessRuntime({ ownership: owner });

  it('ends by TERM, in one promise for everybody (271, 272, 279)', async () => {
    const { terminal, screen } = await openTerminal(runtime, dummy('trap-term', 4));
    await screen.until('ready');
    const first = terminal.terminate();
    expect(terminal.terminate()).toBe(first);
    await first;
    expect(await terminal.done).toEqual({ exitCode: 4, signal: null });
    expect(screen.text).toContain('handled');
    expect(terminal.terminate()).toBe(first);
    expect(terminal.report().proof).toBe('proven');
  });

  it('that ignores TERM, HUP and INT ends by KILL after the grace (272, 273, 279)', async () => {
    const { terminal, screen } = await openTerminal(runtime, dummy('ignore-term'), { graceMs: 300 });
    await screen.until('ready');
    const [ms] = await timed(() => terminal.terminate());
    expect(ms).toBeGreaterThan(280);
    expect(await terminal.done).toEqual({ exitCode: null, signal: 'SIGKILL' });
  });

  it('with a tree that ignores TERM and HUP and has left its parents ends whole (273, 276, 285)', async () => {
    const script = `${dummyPath} daemon hold deaf 0; ${dummyPath} daemon close deaf 0; (trap "" TERM HUP; sleep 60) & echo all; wait`;
    const { terminal, screen } = await openTerminal(runtime, sh(script), { graceMs: 200 });
    await screen.until('all');
    const pids = [...screen.text.matchAll(/^(\d+)\r$/gm)].map((match) => Number(match[1]));
    expect(pids).toHaveLength(2);
    await within(30_000, 'terminate', terminal.terminate());
    expect(pids.filter(alive)).toEqual([]);
    expect((await terminal.inspect()).members).toEqual([]);
    expect(terminal.report().proof).toBe('proven');
  });

  it('with a shell that keeps starting children ends, each time (278)', async () => {
    for (const script of ['echo on; while :; do sleep 0.01; done', 'trap "" TERM HUP; echo on; while :; do sleep 0.01 & done']) {
      const { terminal, screen } = await openTerminal(runtime, sh(script), { graceMs: 100 });
      await screen.until('on');
      await within(30_000, 'terminate', terminal.terminate());
      expect(alive(terminal.pid)).toBe(false);
    }
  });

  it('whose program exits by itself takes what it has left with it (267, 277, 280)', async () => {
    const { terminal, screen } = await openTerminal(runtime, sh('trap "" HUP; sh -c "trap \'\' TERM HUP; sleep 60" & echo left=$!; exit 6'), { graceMs: 200 });
    const left = Number((await screen.until(/left=(\d+)/))[1]);
    expect(await terminal.done).toEqual({ exitCode: 6, signal: null });
    await waitUntil('the end of what was left', () => !alive(left));
    await waitUntil('the proof', () => terminal.report().proof === 'proven');
    await terminal.terminate();
  });

  it('with shellActivity keeps work that outlives its shell, until it is terminated (267)', async () => {
    const { terminal, screen } = await openTerminal(runtime, sh('trap "" HUP; sleep 60 & echo left=$!; exit 0'), { graceMs: 200, shellActivity: true });
    const left = Number((await screen.until(/left=(\d+)/))[1]);
    await terminal.done;
    await screen.ended;
    expect((await terminal.inspect()).members.map((one) => one.pid)).toContain(left);
    expect(alive(left)).toBe(true);
    await terminal.terminate();
    expect(alive(left)).toBe(false);
    expect(terminal.report().proof).toBe('proven');
  });

  it('is hung up when it is closed: a member of another owner that had it open reads the end', async () => {
    const { terminal, screen } = await openTerminal(runtime, sh('tty; sleep 60'));
    const [path] = (await screen.until(/\/dev\/pts\/\d+/)) as [string];
    const reader = runtime.spawn({ argv: sh(`exec < ${path}; echo open; cat; echo "end $?"`), cwd: '/', graceMs: 1000, stdio: { stdin: 'ignore', stdout: { maxBytes: 1000 }, stderr: { maxBytes: 1000 } } });
    await reader.collected.stdout.changed(0);
    await terminal.terminate();
    await within(30_000, 'the reader', reader.done);
    expect(reader.collected.stdout.readFrom(0).text).toMatch(/^open\nend \d\n$/);
    await reader.waitForExit();
  });
});

describe('a terminal that is let go', () => {
  const runtime = new LocalSubprocessRuntime();

  it('at the end of its scope is terminated', async () => {
    let pid = 0;
    {
      const { terminal } = await openTerminal(runtime, ['/bin/sleep', '60']);
      await using held = terminal;
      pid = held.pid;
    }
    expect(alive(pid)).toBe(false);
  });

  it('whose handle is spread keeps working', async () => {
    const { terminal } = await openTerminal(runtime, ['/bin/sleep', '60']);
    const { terminate, report, pid } = { ...terminal };
    await terminate();
    expect(report().pid).toBe(pid);
  });
});
