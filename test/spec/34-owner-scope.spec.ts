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
const systemBox = [`${root}test/support/systemd/system-manager.sh`];

/** Whether commands can be run there. If not, one line says why, and the rest of the suite runs. */
function works([script, ...words]: string[]): boolean {
  const { status, stdout } = spawnSync(script as string, [...words, '/bin/true'], { encoding: 'utf8', timeout: 120_000 });
  if (status !== 0) console.log(`34-owner-scope: ${stdout.trim().split('\n').at(-1) || `${script} ended with ${status}`}`);
  return status === 0;
}
const hasUserManager = works(box);
const managers: [name: string, wrap: string[]][] = [];
if (hasUserManager) managers.push(['the user manager', box]);
if (works(systemBox)) managers.push(["the system's manager, for root", systemBox]);

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
}

describe.each(managers)('a scope of %s', (_, wrap) => {
  let facts: Facts;

  it('holds commands', async () => {
    facts = await askHost<Facts>('scope.mjs', [dummyPath], { wrap });
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

  it('that is stopped ends its commands, waits answer, and the next command gets another one', () => {
    expect(facts.stopped).toMatchObject({ alive: false, proof: 'observed' });
    expect(facts.stopped.settled[1]).toBe('fulfilled');
    expect(facts.next).toBe('scope');
  });

});

describe.skipIf(!hasUserManager)('a scope of the user manager', () => {
  it('is there for those who name it; auto passes it over in a session that the manager does not hold, and says why', async () => {
    const facts = await askHost<{ chosen: string; reasons: Record<string, string> }>('diagnosis.mjs', [], { wrap: box });
    expect(facts.reasons['scope']).toContain('does not live under the manager');
    expect(facts.chosen).not.toBe('scope');
  });

  it('is taken by auto where the host lives under that manager and cannot have groups of its own, in the same slice', async () => {
    const inUnit = ['systemd-run', '--user', '--scope', '-q', '/bin/sh', '-c', 'echo 0 > "/sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)/cgroup.max.descendants" && exec "$@"', 'sh'];
    const facts = await askHost<{ chosen: string; owner: string; proof: string; place: string; warnings: string[] }>('diagnosis.mjs', [], { wrap: [...box, ...inUnit] });
    expect(facts).toMatchObject({ chosen: 'scope', owner: 'scope', proof: 'proven', warnings: [] });
    expect(facts.place).toMatch(/\/user@\d+\.service\/app\.slice\/holdfast-[^/]+\.scope\/r\d+$/);
  });

  it('of a manager that is stopped costs a deadline, and the next owner is taken', async () => {
    const asked = await askHost<{ ms: number; owner: string; reason: string; again: number; warnings: string[] }>('stopped-manager.mjs', [], { wrap: box });
    expect(asked).toMatchObject({ owner: expect.stringMatching(/cgroup|subreaper/), reason: expect.stringContaining('not answered within 1000 ms'), warnings: [] });
    // The second command does not wait for that deadline again.
    expect(asked.again).toBeLessThan(asked.ms);
  });

  it('is not believed when systemd says done and the kernel shows the process elsewhere: here outside of what the host can see', async () => {
    const away = ['unshare', '--user', '--map-current-user', '--cgroup'];
    const asked = await askHost<{ owner: string; reason: string }>('stopped-manager.mjs', ['running'], { wrap: [...box, ...away] });
    expect(asked.owner).not.toBe('scope');
    expect(asked.reason).toMatch(/^\/proc\/\d+\/cgroup shows a group outside of this cgroup namespace$/);
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


