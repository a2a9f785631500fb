import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { dummy } from '../support/paths.ts';
import { state } from '../support/proc.ts';
import { line, pidLines, spawnCollecting } from '../support/run.ts';
import { waitUntil, within } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();

describe('a range', () => {
  it('does not count zombies, also for the weakest owner (165)', async () => {
    const observing = new LocalSubprocessRuntime({ ownership: 'group' });
    // As `sleep` the subshell never reaps the child that it has forked before.
    const handle = spawnCollecting(observing, ['/bin/sh', '-c', 'sh -c "exit 0" & echo $!; exec sleep 60'], fence.directory, { graceMs: 500 });
    const [zombie] = await pidLines(handle, 1);
    await waitUntil('the zombie', () => state(zombie!) === 'Z');
    expect((await handle.inspect()).members.map((one) => one.pid)).toEqual([handle.pid]);
    handle.terminate();
    expect(await within(30_000, 'emptiness', handle.waitForExit())).toBe(true);
    await observing.dispose();
  });

  it('has its command in it for as long as done is pending, also when that has closed everything (170)', async () => {
    const handle = spawnCollecting(runtime, ['/bin/sh', '-c', 'echo up; exec <&- >&- 2>&-; exec sleep 60'], fence.directory);
    await line(handle);
    await waitUntil('the end of the output', async () => !(await handle.collected.stdout.changed(3)));
    expect((await handle.inspect()).members.map((one) => one.pid)).toEqual([handle.pid]);
    expect(await handle.waitForExit(AbortSignal.timeout(100))).toBe(false);
    handle.terminate();
    expect(await handle.waitForExit()).toBe(true);
    await handle.done;
    expect((await handle.inspect()).members).toEqual([]);
    expect(state(handle.pid)).toBe('gone');
  });
});

describe('emptiness', () => {
  it('once seen is remembered: later answers ask nobody, whatever has the number by then (176)', async () => {
    const handle = spawnCollecting(runtime, dummy('exit', 0), fence.directory);
    expect(await handle.waitForExit()).toBe(true);
    const before = process.cpuUsage();
    for (let i = 0; i < 1000; i++) expect(await handle.waitForExit(i % 2 === 0 ? AbortSignal.abort() : undefined)).toBe(true);
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(2_000_000);
    handle.terminate();
    expect(handle.report().proof).not.toBe('pending');
  });
});
