import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { startHost, type HostResult } from '../support/host.ts';
import { alive } from '../support/proc.ts';
import { waitUntil } from '../support/until.ts';

leakFence();

/** Pids of a tree, of a TERM-ignoring command and of a double-forked daemon that ignores TERM, and of the warden. */
interface Owned {
  pids: number[];
  warden: number;
}

/** Starts a host that owns all of that, lets it end in one way, and waits until nothing of it is left. */
async function endHost(way: string, from?: NodeJS.Signals): Promise<HostResult> {
  const host = startHost('owner.mjs', [way]);
  const owned = await host.next<Owned>();
  expect(owned.pids).toHaveLength(8);
  if (from !== undefined) host.child.kill(from);
  const result = await host.result;
  await waitUntil(`everything of a host that ended by ${way}`, () => ![...owned.pids, owned.warden].some(alive));
  return result;
}

describe('when the host ends, everything that it owns ends', () => {
  it('at process.exit(23), whose code stays (195, 199)', async () => {
    const result = await endHost('exit');
    expect(result).toMatchObject({ code: 23, signal: null, stderr: '' });
  });

  it('at an uncaught exception, whose message and code stay (196)', async () => {
    const result = await endHost('throw');
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('Error: this is the host');
  });

  it('at an unhandled rejection, whose message and code stay (197)', async () => {
    const result = await endHost('reject');
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('Error: this is the host');
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGHUP', 'SIGSEGV', 'SIGINT'] as const)('by %s, which no handler sees (202)', async (signal) => {
    const result = await endHost('wait', signal);
    expect(result.signal).toBe(signal);
  });

  it('by process.abort()', async () => {
    const result = await endHost('abort');
    expect(result.signal).toBe('SIGABRT');
  });

  it('by SIGKILL while its event loop is blocked', async () => {
    const result = await endHost('block', 'SIGKILL');
    expect(result.signal).toBe('SIGKILL');
  });

  it('after disposal, with nothing left to kill and its own code (201)', async () => {
    const result = await endHost('dispose');
    expect(result).toMatchObject({ code: 7, signal: null, stderr: '' });
  });
});
