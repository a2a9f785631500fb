// The host dies while its handles are in every state that there is; the same list for each owner.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { startHost, type HostResult } from '../support/host.ts';
import { heldBy, proves, usableOwners } from '../support/owners.ts';
import { root } from '../support/paths.ts';
import { alive, marked, tryRead } from '../support/proc.ts';
import { waitUntil, within } from '../support/until.ts';

const fence = leakFence();

/**
 * Starts a host with a handle in each state, ends it, and waits until nothing is left that has inherited its environment.
 * How soon that is, is a benchmark's question (bench/owner-deaths).
 */
async function die(kind: string, way: string, signal?: NodeJS.Signals, flags: string[] = []): Promise<HostResult> {
  const mark = `HOST_MARK=${randomBytes(8).toString('hex')}`;
  const [name = '', value = ''] = mark.split('=');
  const temporary = mkdtempSync(join(fence.directory, 'host-'));
  const host = startHost('states.mjs', [kind, way], { env: { [name]: value, TMPDIR: temporary }, flags });
  await host.next();
  if (signal !== undefined) host.child.kill(signal);
  const result = await host.result;
  let left: string[] = [];
  await waitUntil(`the end of everything of a host that died by ${signal ?? way}`, () => {
    left = marked(mark).map((pid) => `${pid} ${(tryRead(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ')}`);
    return left.length === 0;
  }, 40_000).catch((error: Error) => { throw new Error(`${error.message}\n${left.join('\n')}`); });
  rmSync(temporary, { recursive: true });
  return result;
}

describe.each(usableOwners)('when the host ends with a handle in every state, under the owner %s', (kind) => {
  it.each(['exit', 'exit-later'])('by process.exit(23) (%s), all of it ends, and the code and the silence stay (B005)', async (way) => {
    const result = await die(kind, way);
    expect(result).toMatchObject({ code: 23, signal: null, stderr: '' });
  });

  it('by an uncaught exception, all of it ends, and its code and message stay (B005)', async () => {
    const result = await die(kind, 'throw');
    expect(result).toMatchObject({ code: 1, signal: null, stderr: expect.stringContaining('Error: this is the host') });
  });

  it('by the end of its script right after terminate(), the KILL is not forgotten (B007)', async () => {
    const host = startHost('leaves-grace.mjs', [kind]);
    const { pid } = await host.next<{ pid: number }>();
    expect(await host.result).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(alive(pid)).toBe(false);
  });

  it('as a worker, however that ends, what it owns ends with it, and nothing of the main thread (203)', async () => {
    const { spawn, ends } = heldBy(kind, fence);
    const mine = spawn(['/bin/sleep', '30']);
    for (const mode of ['exit', 'throw', 'terminated']) {
      const worker = new Worker(`${root}test/fixtures/hosts/worker.mjs`, { workerData: { mode, ownership: kind } });
      worker.on('error', () => {});
      const ended = new Promise((resolve) => { worker.on('exit', resolve); });
      const [{ pid, daemon }] = (await within(30_000, 'the worker', once(worker, 'message'))) as [{ pid: number; daemon: number }];
      expect(Math.min(pid, daemon)).toBeGreaterThan(1);
      if (mode === 'terminated') await worker.terminate();
      await within(30_000, 'the end of the worker', ended);
      await waitUntil(`the end of what a worker had that ended by ${mode}`, () => !alive(pid) && !alive(daemon));
    }
    expect(alive(mine.pid)).toBe(true);
    await ends(mine);
  });

  // These run no line of the host any more. Somebody else has to notice, and where no warden runs there is nobody.
  if (proves(kind)) {
    it.each(['SIGKILL', 'SIGTERM', 'SIGSEGV'] as const)('by %s, all of it ends', async (signal) => {
      const result = await die(kind, 'wait', signal);
      expect(result).toMatchObject({ code: null, signal });
    });

    it('by an abort for want of memory, all of it ends, and what Node says of it stays', async () => {
      const result = await die(kind, 'memory', undefined, ['--max-old-space-size=60']);
      expect(result).toMatchObject({ signal: 'SIGABRT', stderr: expect.stringContaining('heap out of memory') });
    });
  }
});
