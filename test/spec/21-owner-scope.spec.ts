import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { askHost, startHost } from '../support/host.ts';
import { dummyPath, root } from '../support/paths.ts';
import { rejection, spawnCollecting } from '../support/run.ts';
import { within } from '../support/until.ts';

const fence = leakFence();
const box = [`${root}test/support/systemd/user-manager.sh`, 'nobody'];
const trial = spawnSync(box[0] as string, [...box.slice(1), '/bin/true'], { encoding: 'utf8', timeout: 60_000 });
// One line says why, and the rest of the suite runs.
const why = trial.status === 0 ? undefined : (trial.stdout.trim().split('\n').at(-1) ?? `exit code ${trial.status}`);
if (why !== undefined) console.log(`21-owner-scope: ${why}`);

interface Report { owner: string; proof: string; strays: { count: number; listed: { endedBy: string }[] }; escaped: { count: number } }
interface Facts {
  places: string[];
  scopes: string[];
  inWarden: number;
  literal: boolean;
  daemon: { busy: boolean; members: boolean; empty: boolean; report: Report };
  away: { empty: boolean; report: Report };
  stopped: { ms: number; settled: string[]; alive: boolean; proof: string };
  next: string;
  warnings: string[];
  chosen: string;
  owners: { kind: string; available: boolean; reason?: string }[];
}

describe.skipIf(why !== undefined)('a scope of the user manager', () => {
  let facts: Facts;

  it('holds commands', async () => {
    facts = await askHost<Facts>('scope.mjs', [dummyPath], { wrap: box });
    expect(facts.daemon.report).toMatchObject({ owner: 'scope' });
    expect(facts.warnings).toEqual([]);
  });

  it('is one for the whole host: its commands are leaves in it, the warden in a leaf of its own', () => {
    expect(facts.scopes).toHaveLength(1);
    expect(facts.places.every((place) => new RegExp(`/${facts.scopes[0]}/r\\d+$`).test(place))).toBe(true);
    expect(new Set(facts.places).size).toBe(3);
    expect(facts.inWarden).toBe(1);
  });

  it('leaves arguments as they are', () => {
    expect(facts.literal).toBe(true);
  });

  it('holds a double-forked daemon and proves its end', () => {
    expect(facts.daemon).toMatchObject({ busy: false, members: true, empty: true, report: { proof: 'proven', strays: { count: 1, listed: [{ endedBy: 'KILL' }] } } });
  });

  it('says of a member that has gone into a unit of its own that it has escaped, and proves nothing then', () => {
    expect(facts.away).toMatchObject({ empty: true, report: { proof: 'observed' } });
    expect(facts.away.report.escaped.count).toBeGreaterThan(0);
  });

  it('that is stopped ends its commands within a second or so, waits answer, and the next command gets another one', () => {
    expect(facts.stopped).toMatchObject({ alive: false, proof: 'observed' });
    expect(facts.stopped.settled[1]).toBe('fulfilled');
    expect(facts.stopped.ms).toBeLessThan(10_000);
    expect(facts.next).toBe('scope');
  });

  it('is there for those who name it; auto passes it over in a session that the manager does not hold, and says why', () => {
    expect(facts.owners.find(({ kind }) => kind === 'scope')).toMatchObject({ available: true, reason: expect.stringContaining('does not live under the manager') });
    expect(facts.chosen).not.toBe('scope');
  });

  it('of a manager that is stopped costs a deadline, and the next owner is taken', async () => {
    const asked = await askHost<{ ms: number; owner: string; reason: string; again: number; warnings: string[] }>('stopped-manager.mjs', [], { wrap: box });
    expect(asked).toMatchObject({ owner: expect.stringMatching(/cgroup|subreaper/), reason: expect.stringContaining('not answered within 1000 ms'), warnings: [] });
    expect(asked.ms).toBeLessThan(8000);
    expect(asked.again).toBeLessThan(500);
  });

  it('goes with its host, also after SIGKILL', async () => {
    const host = startHost('scope-killed.mjs', [], { wrap: box });
    const seen = await within(30_000, 'the inner host', host.next<{ left: string[]; scopes: string[] }>());
    expect(seen).toEqual({ left: [], scopes: [] });
    await host.result;
  });
});

describe.skipIf(existsSync('/run/systemd/system'))('without systemd', () => {
  it('a scope that is required is refused with the reason', async () => {
    const runtime = new LocalSubprocessRuntime({ ownership: 'scope' });
    const error = await rejection(spawnCollecting(runtime, ['/bin/true'], fence.directory).done);
    expect(error).toMatchObject({ code: 'OWNER_UNAVAILABLE', stage: 'own', message: expect.stringContaining('not started by systemd') });
    await runtime.dispose();
  });
});


