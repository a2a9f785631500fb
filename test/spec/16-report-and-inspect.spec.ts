import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { dummy } from '../support/paths.ts';
import { stat } from '../support/proc.ts';
import { line, pidLines, rejection, run, spawnCollecting } from '../support/run.ts';
import { within } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();
const spawn = (argv: readonly string[], more = {}) => spawnCollecting(runtime, argv, fence.directory, more);

describe('handle.report()', () => {
  it('says what is known at each stage, without a promise', async () => {
    const handle = spawn(dummy('trap-term', 3));
    const before = handle.report();
    expect(before).toMatchObject({ proof: 'pending', drain: 'pending', strays: { count: 0, listed: [] }, escaped: { count: 0, listed: [] } });
    // On a crowded machine the launch can be known before this thread has its turn again; what is told fits together.
    if (before.launch === 'pending') expect(before).toMatchObject({ pid: null, owner: null });
    else expect(before).toMatchObject({ launch: 'started', pid: handle.pid });
    await line(handle);
    const { pid } = handle; // waits for the launch, whose news its own output can overtake
    const during = handle.report();
    expect(during).toMatchObject({ launch: 'started', pid, proof: 'pending', drain: 'pending', streams: { stdout: { bytes: 6, retained: 6, spill: 'none' }, stderr: { bytes: 0 } } });
    expect(['cgroup', 'subreaper', 'group']).toContain(during.owner);
    handle.terminate();
    await handle.done;
    await handle.waitForExit();
    expect(handle.report()).toMatchObject({ launch: 'started', pid: during.pid, drain: 'eof', proof: during.owner === 'group' ? 'observed' : 'proven' });
  });

  it('is facts of one moment: what comes later does not change an earlier one', async () => {
    const handle = spawn(['/bin/sleep', '600']);
    const before = handle.report();
    const copy = structuredClone(before);
    handle.terminate();
    await handle.done;
    expect(before).toEqual(copy);
    expect(before.drain).toBe('pending');
  });

  it('says that the launch failed, and leaves pid and owner open', async () => {
    const handle = spawn(['/no/such/program']);
    await rejection(handle.done);
    expect(handle.report()).toMatchObject({ launch: 'failed', pid: null });
  });

  it('has no entry for streams that are not collected', async () => {
    const handle = runtime.spawn({ argv: dummy('exit', 0), cwd: '/', graceMs: 1000, stdio: { stdin: 'ignore', stdout: 'pipe', stderr: { maxBytes: 1 } } });
    handle.stdout.resume();
    await handle.done;
    expect(Object.keys(handle.report().streams)).toEqual(['stderr']);
  });

  it('names the members beyond the command that had to be ended, and by what', async () => {
    const handle = spawn(dummy('tree', 2, 2), { graceMs: 20_000 });
    const pids = await pidLines(handle, 6);
    handle.terminate();
    await handle.done;
    await handle.waitForExit();
    const { strays } = handle.report();
    expect(strays.count).toBe(6);
    expect(strays.listed.map((one) => one.pid).sort()).toEqual(pids.sort());
    for (const one of strays.listed) expect(one).toMatchObject({ argv0: expect.stringMatching(/dummy$/), endedBy: 'TERM' });
  });

  it('tells those that needed KILL from those that went by TERM', async () => {
    const handle = spawn(dummy('daemon', 'close', 'deaf', 0), { graceMs: 200 });
    const daemon = Number(await line(handle));
    await handle.done;
    handle.terminate();
    await handle.waitForExit();
    expect(handle.report().strays).toMatchObject({ count: 1, listed: [{ pid: daemon, endedBy: 'KILL' }] });
  });

  it('lists no more than 32 of them and counts all', async () => {
    const handle = spawn(dummy('tree', 1, 40), { graceMs: 20_000 });
    await pidLines(handle, 40);
    handle.terminate();
    await handle.done;
    await handle.waitForExit();
    expect(handle.report().strays.count).toBe(40);
    expect(handle.report().strays.listed).toHaveLength(32);
  });

  it('counts no strays for a command that ends by itself with all its children', async () => {
    const { handle } = await run(runtime, ['/bin/sh', '-c', 'true | cat | cat; sleep 0.05'], fence.directory);
    expect(handle.report()).toMatchObject({ strays: { count: 0 }, escaped: { count: 0 } });
  });

  it('accounts for CPU time and memory of the command (usage), and of everything in the range where the owner can', async () => {
    const { handle } = await run(runtime, ['/bin/sh', '-c', `${dummy('spin', 300).join(' ')}; ${dummy('alloc', 64).join(' ')}`], fence.directory);
    const { usage, rangeUsage } = handle.report();
    expect(usage).toBeDefined();
    if (usage === undefined) return;
    expect(usage.userCpuMs + usage.systemCpuMs).toBeGreaterThan(250);
    expect(usage.userCpuMs + usage.systemCpuMs).toBeLessThan(5000);
    if (usage.maxRssBytes !== undefined) {
      expect(usage.maxRssBytes).toBeGreaterThan(60 << 20);
      expect(usage.maxRssBytes).toBeLessThan(120 << 20);
    }
    if (rangeUsage !== undefined) expect(rangeUsage.userCpuMs + rangeUsage.systemCpuMs).toBeGreaterThan(250);
  });

  it('never gives the memory of the host as that of a small command', async () => {
    const ballast = Buffer.alloc(200 << 20, 1);
    const { handle } = await run(runtime, dummy('exit', 0), fence.directory);
    const rss = handle.report().usage?.maxRssBytes;
    if (rss !== undefined) expect(rss).toBeLessThan(50 << 20);
    expect(ballast.length).toBe(200 << 20);
  });
});

describe('handle.inspect()', () => {
  it('lists the live members with their identity, parent and state', async () => {
    const handle = spawn(dummy('tree', 2, 1));
    const pids = await pidLines(handle, 2);
    const { members } = await within(30_000, 'an inspection', handle.inspect());
    expect(members.map((one) => one.pid).sort()).toEqual([handle.pid, ...pids].sort());
    for (const member of members) {
      const seen = stat(member.pid);
      expect(member).toMatchObject({ startTime: seen?.startTime, ppid: seen?.ppid, argv0: expect.stringMatching(/dummy$/) });
      expect(member.state).toMatch(/^[RSD]$/);
      // Kernels since 6.2 count in batches for each processor: of a process that was just forked /proc may still say 0.
      expect(member.rssBytes).toBeGreaterThanOrEqual(0);
      expect(member.cpuMs).toBeGreaterThanOrEqual(0);
    }
    handle.terminate();
    await handle.done;
    await handle.waitForExit();
  });

  it('shows a daemon that has left session and parent', async () => {
    const handle = spawn(dummy('daemon', 'close', 'plain', 0));
    await handle.done;
    const daemon = Number(handle.collected.stdout.readFrom(0).text);
    const { members } = await handle.inspect();
    expect(members.map((one) => one.pid)).toEqual([daemon]);
    handle.terminate();
    await handle.waitForExit();
  });

  it('is empty after the end and after a launch that failed', async () => {
    const { handle } = await run(runtime, dummy('exit', 0), fence.directory);
    expect(await handle.inspect()).toEqual({ members: [] });
    const failed = spawn(['/no/such/program']);
    await rejection(failed.done);
    expect(await failed.inspect()).toEqual({ members: [] });
  });
});

describe('runtime.diagnose()', () => {
  it('tells the owners with the reason for each that cannot be used, and what auto takes', async () => {
    const facts = await runtime.diagnose();
    expect(facts.owners.map((one) => one.kind)).toEqual(expect.arrayContaining(['cgroup', 'subreaper', 'group']));
    for (const one of facts.owners) {
      if (!one.available) expect(one.reason).toMatch(/\w+ \w+/);
      expect(one.proof).toBe(one.kind === 'group' ? 'observed' : 'proven');
    }
    expect(facts.owners.find((one) => one.kind === facts.chosen)?.available).toBe(true);
    const { handle } = await run(runtime, dummy('exit', 0), fence.directory);
    expect(handle.report().owner).toBe(facts.chosen);
  });

  it('tells the binary and the warden', async () => {
    const { binary, warden, kernel, limits } = await runtime.diagnose();
    expect(binary.path).toMatch(/^\/.*\.node$/);
    expect(binary.napi).toBeGreaterThanOrEqual(8);
    expect(['override', 'package', 'memory', 'directory', 'none']).toContain(warden.from);
    for (const value of Object.values(kernel)) expect(value).toBeTypeOf('boolean');
    for (const value of Object.values(limits)) expect(value).toBeTypeOf('number');
    expect(Object.keys(kernel).length).toBeGreaterThan(0);
    expect(Object.keys(limits).length).toBeGreaterThan(0);
  });
});
