import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { leakFence, unifiedMount } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { askHost } from '../support/host.ts';
import { root } from '../support/paths.ts';
import { collecting, rejection } from '../support/run.ts';

const fence = leakFence();
const MiB = 2 ** 20;

describe('limits that nobody can enforce here', () => {
  it.each([['subreaper'], ['group']] as const)('are refused under %s, and nothing has run', async (ownership) => {
    const runtime = new LocalSubprocessRuntime({ ownership });
    const handle = runtime.spawn({ ...collecting(['/usr/bin/touch', 'launched'], fence.directory), limits: { processes: 10 } });
    const error = await rejection(handle.done);
    expect(error).toMatchObject({ code: 'LIMITS_UNAVAILABLE', stage: 'own', message: `${ownership}: it has no means to limit a range` });
    expect(await handle.waitForExit()).toBe(true);
    expect(handle.report().limits).toBeUndefined();
    await runtime.dispose();
  });

  it('are refused by auto with the reason of each owner, and cgroup names the controller that is missing', async () => {
    const runtime = new LocalSubprocessRuntime();
    const { owners } = await runtime.diagnose();
    const handle = runtime.spawn({ ...collecting(['/bin/true'], '/'), limits: { memoryBytes: 64 * MiB } });
    const given = readFileSync(`${unifiedMount()}/cgroup.controllers`, 'utf8').includes('memory');
    const outcome = await handle.done.catch((error: Error & { code?: string }) => error);
    if (outcome instanceof Error) {
      expect(outcome.code).toBe('LIMITS_UNAVAILABLE');
      if (!given && owners.some(({ kind, available }) => kind === 'cgroup' && available)) expect(outcome.message).toMatch(/cgroup: the memory controller is not enabled for .*subreaper: /);
    } else {
      expect(outcome.exitCode).toBe(0);
    }
    await runtime.dispose();
  });

  it('that limit nothing are none', async () => {
    const runtime = new LocalSubprocessRuntime();
    const handle = runtime.spawn({ ...collecting(['/bin/true'], '/'), limits: {} });
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
    await runtime.dispose();
  });
});

interface Result { exitCode: number | null; signal: string | null; owner: string; proof: string; text: string; cpuMs: number; atDone: Limits; limits: Limits; code?: string; message?: string }
interface Limits { oomKills: number; peakBytes?: number; throttledMs: number }

/** The facts of limits.mjs where the kernel has the controllers: here, in a scope, or in a machine that is booted for it. */
function facts(name: string, ask: () => Promise<Record<string, Result>>): void {
  describe(`limits ${name}`, () => {
    let seen: Record<string, Result>;
    beforeAll(async () => { seen = await ask(); }, 900_000);

    it('are in force from the first instruction', () => {
      expect(seen['seen']?.text).toBe(`${64 * MiB}\n10\n150000 100000\n`);
    });

    it('let a command run that stays within them', () => {
      expect(seen['within']).toMatchObject({ exitCode: 0, proof: 'proven', limits: { oomKills: 0 } });
      expect(seen['within']?.limits.peakBytes).toBeGreaterThan(16 * MiB);
      expect(seen['none']).toMatchObject({ exitCode: 0, text: 'free\n' });
      expect(seen['none']?.limits).toBeUndefined();
    });

    it('end a member that needs more memory, which is a fact of the report as soon as done has come', () => {
      expect(seen['memory']).toMatchObject({ exitCode: null, signal: 'SIGKILL', proof: 'proven', atDone: { oomKills: 1 }, limits: { oomKills: 1 } });
      expect(seen['memory']?.limits.peakBytes).toBeLessThanOrEqual(64 * MiB);
      expect(seen['child']).toMatchObject({ exitCode: 0, text: '137\n', limits: { oomKills: 1 } });
    });

    it('keep the number of processes', () => {
      expect(seen['processes']?.text).not.toContain('all');
      expect(seen['processes']).toMatchObject({ proof: 'proven', signal: null });
      expect(seen['processes']?.exitCode).not.toBe(0);
    });

    it('slow down who takes too much of the processors', () => {
      expect(seen['cpus']).toMatchObject({ signal: 'SIGTERM', proof: 'proven' });
      expect(seen['cpus']?.limits.throttledMs).toBeGreaterThan(0);
      expect(seen['cpus']?.cpuMs).toBeLessThan(1500);
    });

    it('are refused by owners without means', () => {
      expect(seen['weaker']).toMatchObject({ code: 'LIMITS_UNAVAILABLE', message: expect.stringMatching(/subreaper: .*; group: /) });
    });
  });
}

const kernel = process.env['HOLDFAST_TEST_KERNEL'];
const qemu = spawnSync('qemu-system-x86_64', ['--version']).status === 0;
const why = kernel === undefined ? 'HOLDFAST_TEST_KERNEL names no kernel to boot' : qemu ? undefined : 'qemu-system-x86_64 is not installed';

/** What a script of test/fixtures/hosts prints last in a machine that boots that kernel. */
function inMachine<T>(...words: string[]): T {
  const { status, stdout, stderr } = spawnSync(`${root}.ci/vm/run.sh`, [kernel as string, ...words], { cwd: root, encoding: 'utf8', timeout: 280_000 });
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as T;
}

if (why === undefined) {
  facts('in a machine whose controllers are enabled (cgroup)', async () => inMachine('test/fixtures/hosts/limits.mjs', '"cgroup"'));
} else {
  console.log(`36-owner-limits: limits are not tried, only their refusal: ${why}`);
}
const systemd = ['/lib/systemd/systemd', '/usr/bin/dbus-daemon'].every(existsSync);
if (why === undefined && systemd) {
  facts('in a service of a machine with systemd (scope)', async () => {
    // An emulated systemd on a machine that is busy may not answer within our deadline. That is no fault, so it is asked again.
    for (let attempt = 1; ; attempt++) {
      const seen = inMachine<Record<string, Result>>('--systemd', 'test/fixtures/hosts/limits.mjs', '"scope"');
      if (attempt === 5 || !/not answered within/.test(seen['within']?.message ?? '')) return seen;
    }
  });

  it("a limit of the host's own service is not lifted: auto passes the scope over, and says which", () => {
    const { reasons, warnings } = inMachine<{ reasons: Record<string, string>; warnings: string[] }>('--systemd', 'MemoryMax=400M', 'test/fixtures/hosts/diagnosis.mjs');
    expect(reasons['scope']).toBe(`/system.slice/payload.service has a limit that does not reach into a scope: memory.max = ${400 * MiB}`);
    expect(warnings).toEqual([]);
  }, 300_000);
} else if (why === undefined) {
  console.log('36-owner-limits: limits in a scope are not tried: systemd or dbus is not installed');
}
if (/\bmemory\b/.test(readFileSync('/proc/self/cgroup', 'utf8')) === false && readFileSync(`${unifiedMount()}/cgroup.subtree_control`, 'utf8').includes('memory')) {
  facts('of this machine', () => askHost('limits.mjs', ['["cgroup", "scope"]']));
}
