import { describe, expect, it } from 'vitest';
import { leakFence, unifiedMount } from '../support/fence.ts';
import { LocalSubprocessRuntime, type OwnerKind } from '../support/holdfast.ts';
import { askHost } from '../support/host.ts';
import { dummy } from '../support/paths.ts';
import { alive } from '../support/proc.ts';
import { collecting, factsArgv, line, parseFacts, pidLines, rejection, run, spawnCollecting } from '../support/run.ts';
import { within } from '../support/until.ts';

const fence = leakFence();
const { owners } = await new LocalSubprocessRuntime().diagnose();
const usable = owners.filter((one) => one.available).map((one) => one.kind);

// A container shows its cgroups read-only, and so does a mount namespace of our own. A user without the right to make one
// has no cgroup to write in the first place.
const withoutCgroups = ['/bin/sh', '-c', `if unshare -m true 2>/dev/null; then exec unshare -m sh -c 'mount -o remount,bind,ro ${unifiedMount()} && exec "$@"' sh "$@"; else exec "$@"; fi`, 'sh'];

// The same list for each owner; 21 to 28 go on with it. What an owner cannot do is said by the test, not left out of it.
describe.each(usable)('the owner %s', (kind) => {
  const warnings: string[] = [];
  const runtime = new LocalSubprocessRuntime({ ownership: kind, onWarning: (message) => { warnings.push(message); } });
  const spawn = (argv: readonly string[], more = {}) => spawnCollecting(runtime, argv, fence.directory, more);
  const proven = kind !== 'group';

  /** Terminates, and checks that nothing of it is alive and that the report says how that is known. */
  async function ends(handle: ReturnType<typeof spawn>, pids: number[]): Promise<void> {
    handle.terminate();
    expect(await within(30_000, 'emptiness', handle.waitForExit())).toBe(true);
    await handle.done;
    expect(pids.filter(alive)).toEqual([]);
    expect(handle.report()).toMatchObject({ owner: kind, proof: proven ? 'proven' : 'observed' });
  }

  it('is the one that was required, and runs a command without a warning', async () => {
    const { outcome, handle } = await run(runtime, dummy('exit', 5), fence.directory);
    expect(outcome).toEqual({ exitCode: 5, signal: null });
    expect(handle.report()).toMatchObject({ owner: kind, proof: proven ? 'proven' : 'observed' });
    expect(warnings).toEqual([]);
  });

  it('keeps ranges apart: the end of one leaves the others alone', async () => {
    const handles = Array.from({ length: 10 }, () => spawn(dummy('tree', 1, 2)));
    const pids = await Promise.all(handles.map((handle) => pidLines(handle, 2)));
    await ends(handles[0] as typeof handles[0] & object, pids[0] as number[]);
    expect(pids.slice(1).flat().every(alive)).toBe(true);
    await Promise.all(handles.slice(1).map((handle, i) => ends(handle, pids[i + 1] as number[])));
  });

  it('holds a hundred ranges at once', async () => {
    const handles = Array.from({ length: 100 }, () => spawn(dummy('trap-term', 0), { graceMs: 20_000 }));
    await Promise.all(handles.map((handle) => line(handle)));
    await Promise.all(handles.map((handle) => ends(handle, [handle.pid])));
  });

  it('gives a child what every owner gives: session, descriptors, signals, directory (68, 69, 70)', async () => {
    const facts = parseFacts((await run(runtime, factsArgv, fence.directory)).stdout);
    expect(Object.keys(facts.fds)).toEqual(['0', '1', '2']);
    expect(facts).toMatchObject({ sid: facts.pid, pgid: facts.pid, blocked: [], handled: [], cwd: fence.directory, tty: false });
  });

  it('gives the same launch errors', async () => {
    expect(await rejection(spawn(['/no/such/program']).done)).toMatchObject({ code: 'ENOENT', path: '/no/such/program' });
    expect(await rejection(spawnCollecting(runtime, ['/bin/true'], '/no/such/directory').done)).toMatchObject({ code: 'ENOENT', syscall: 'chdir', path: '/no/such/directory' });
    expect(await rejection(spawn([fence.directory]).done)).toMatchObject({ code: 'EACCES' });
    expect(await rejection(spawn(['/bin/true', 'x'.repeat(200_000)]).done)).toMatchObject({ code: 'E2BIG' });
  });
});

describe('ownership', () => {
  const start = (ownership: 'auto' | OwnerKind | (OwnerKind | 'auto')[], onWarning: (message: string) => void = () => {}) =>
    new LocalSubprocessRuntime({ ownership, onWarning });

  it('takes the first available of a list', async () => {
    for (const kind of usable) {
      const runtime = start(['job', kind, 'group']);
      const handle = runtime.spawn(collecting(['/bin/true'], '/'));
      await handle.done;
      expect(handle.report().owner).toBe(kind);
      await runtime.dispose();
    }
  });

  it('is a requirement: with none available done rejects with OWNER_UNAVAILABLE and each reason, and nothing has run', async () => {
    const runtime = start(['job', 'scope']);
    const unavailable = owners.filter((one) => !one.available).map((one) => one.kind);
    expect(unavailable).toContain('job');
    const handle = runtime.spawn({ ...collecting(['/usr/bin/touch', 'launched'], fence.directory) });
    if (usable.includes('scope')) {
      await handle.done;
    } else {
      const error = await rejection(handle.done);
      expect(error).toMatchObject({ code: 'OWNER_UNAVAILABLE', stage: 'own' });
      expect(error.message).toMatch(/job.*scope/s);
      expect(await handle.waitForExit()).toBe(true);
    }
    await runtime.dispose();
  });

  it('auto takes the strongest, which diagnose() names, without a warning when it is proven', async () => {
    const warnings: string[] = [];
    const runtime = start('auto', (message) => { warnings.push(message); });
    const { chosen } = await runtime.diagnose();
    const handle = runtime.spawn(collecting(['/bin/true'], '/'));
    await handle.done;
    expect(handle.report().owner).toBe(chosen);
    if (chosen !== 'group') expect(warnings).toEqual([]);
    await runtime.dispose();
  });

  it.each([['auto'], [['cgroup', 'auto']]])('%j goes on to the next owner that proves where no cgroup can be written, and says nothing (315)', async (ownership) => {
    const facts = await askHost<{ owners: string[]; chosen: string; proof: string; warnings: string[] }>('weaker.mjs', [JSON.stringify(ownership)], { wrap: withoutCgroups });
    expect(facts.chosen).toBe('subreaper');
    expect(facts.owners).toEqual(['subreaper', 'subreaper', 'subreaper']);
    expect(facts.proof).toBe('proven');
    expect(facts.warnings).toEqual([]);
  });

  it('auto goes on to an owner that proves nothing with one warning, which says why in one sentence', async () => {
    const facts = await askHost<{ owners: string[]; chosen: string; proof: string; warnings: string[] }>('weaker.mjs', ['"auto"'], { env: { HOLDFAST_WARDEN: '/bin/false' } });
    expect(facts).toMatchObject({ chosen: 'group', owners: ['group', 'group', 'group'], proof: 'observed' });
    expect(facts.warnings).toHaveLength(1);
    expect(facts.warnings[0]).toMatch(/'group' because cgroup: .*no warden.*\/bin\/false/);
    expect(facts.warnings[0]).not.toContain('\n');
  });

  it('a list without auto is kept to in the same place', async () => {
    const facts = await askHost<{ code: string; message: string; warnings: string[] }>('weaker.mjs', [JSON.stringify(['cgroup'])], { wrap: withoutCgroups });
    expect(facts).toMatchObject({ code: 'OWNER_UNAVAILABLE', message: expect.stringContaining('cgroup'), warnings: [] });
  });

  it.each([['bogus'], [[]], [['cgroup', 'bogus']], [['auto', 'cgroup']], [5]])('refuses %j when the runtime is made', (ownership) => {
    expect(() => start(ownership as never)).toThrow(expect.objectContaining({ code: expect.stringMatching(/^ERR_INVALID_ARG_/), message: expect.stringContaining('ownership') }));
  });
});
