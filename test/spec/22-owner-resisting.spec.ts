// Members that do not want to end, or that change faster than one can look; the same list for each owner.
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { heldBy, proves, usableOwners } from '../support/owners.ts';
import { dummy } from '../support/paths.ts';
import { allPids, alive, state, tryRead } from '../support/proc.ts';
import { line, pidLines } from '../support/run.ts';
import { waitUntil, within } from '../support/until.ts';

const fence = leakFence();
const isRoot = process.getuid?.() === 0;
const sh = (script: string): string[] => ['/bin/sh', '-c', script];

const resisting: [string, string[], number][] = [
  ['a tree that ignores TERM and HUP', sh(`trap '' TERM HUP; exec ${dummy('tree', 2, 2).join(' ')}`), 6],
  ['a child subreaper with daemons that ignore TERM', dummy('reaper', 3), 3],
  ['a child subreaper below another', sh(`${dummy('reaper', 1).join(' ')} & exec ${dummy('reaper', 1).join(' ')}`), 2],
  ['children of threads, whose first thread has ended', dummy('threads', 3), 3],
  ['processes whose name looks like a line of /proc', dummy('rename'), 1],
];

/** Processes of a user as whom nobody else runs anything. */
const ofUser = (user: number): number[] => allPids().filter((pid) => alive(pid) && (tryRead(`/proc/${pid}/status`) ?? '').includes(`\nUid:\t${user}\t`));

describe.each(usableOwners)('the owner %s', (kind) => {
  const { spawn, ends } = heldBy(kind, fence);

  it.each(resisting)('ends %s', async (_, argv, count) => {
    const handle = spawn(argv);
    await ends(handle, await pidLines(handle, count));
  });

  it('ends stopped members', async () => {
    const handle = spawn(dummy('stopped-child'));
    const [child] = (await pidLines(handle, 1)) as [number];
    await waitUntil('the child has stopped', () => state(child) === 'T');
    await ends(handle, [child]);
  });

  it('runs the handler of a command that is stopped', async () => {
    const handle = spawn(dummy('stop', 12), { graceMs: 10_000 });
    await line(handle);
    await waitUntil('the command has stopped', () => state(handle.pid) === 'T');
    await ends(handle);
    expect(await handle.done).toEqual({ exitCode: 12, signal: null });
  });

  it('ends members that stop themselves whenever they are continued', async () => {
    const handle = spawn(sh("trap 'kill -STOP $$' TERM CONT; echo ready; while :; do sleep 0.05; done"));
    await line(handle);
    await ends(handle);
    expect(await handle.done).toEqual({ exitCode: null, signal: 'SIGKILL' });
  });

  // A member of group that forks between two looks is only found by its environment, which a relay keeps.
  it('ends chains of processes that fork, leave their session and exit faster than anybody can list them', async () => {
    const handle = spawn(dummy('relay', 4));
    expect(await line(handle)).toBe('ready');
    await ends(handle);
  });

  it.runIf(isRoot)('ends a storm of forks that fills a limit of 64 processes', async () => {
    const user = 63300 + usableOwners.indexOf(kind);
    const handle = spawn(dummy('storm', user, 64, 40), { graceMs: 1 });
    // It takes the processors away from everybody, itself included.
    expect(await within(30_000, 'the storm', handle.collected.stdout.changed(0))).toBe(true);
    // Larger ones, and how long that takes, are a benchmark's question (bench/owner-storm): they stop all other tests here.
    await ends(handle, [], { ms: 30_000 });
    expect(ofUser(user)).toEqual([]);
    expect(handle.report().strays.count).toBeGreaterThan(48);
  });

  it('tells that it is empty also when terminate() crosses the end of the command', async () => {
    const crossing = Array.from({ length: 100 }, async () => {
      const handle = spawn(dummy('exit', 0));
      await handle.done;
      handle.terminate();
      expect(await handle.waitForExit()).toBe(true);
      expect(handle.report().proof).toBe(proves(kind) ? 'proven' : 'observed');
    });
    await Promise.all(crossing);
  });
});
