// Launches that hang, that are too many, and that are large; the same list for each owner.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { askHost } from '../support/host.ts';
import { heldBy, usableOwners } from '../support/owners.ts';
import { ownMounts } from '../support/privilege.ts';

const fence = leakFence();

/**
 * A file system in user space that nobody serves: whoever asks it anything waits until it is killed. It goes with the
 * process that has it open, and is seen in its mount namespace only.
 */
const silent = (directory: string): string[] =>
  [...ownMounts, '/bin/sh', '-c', 'exec 9<>/dev/fuse && mount -i -t fuse -o "fd=9,rootmode=40000,user_id=$(id -u),group_id=$(id -g)" none "$0" && exec "$@"', directory];

function canHang(): boolean {
  const directory = join(fence.directory, 'probe');
  mkdirSync(directory);
  const [command = '', ...args] = [...silent(directory), 'true'];
  const { status } = spawnSync(command, args, { stdio: 'ignore' });
  rmdirSync(directory);
  return status === 0;
}
const hangs = canHang();
it.runIf(!hangs)('no file system that hangs can be mounted here', () => { console.log('not tested here: a working directory that does not answer (no FUSE)'); });

describe.each(usableOwners)('the owner %s', (kind) => {
  it.runIf(hangs)('holds, starts and ends other commands while one hangs in its chdir and one in its exec, and ends those too', async () => {
    const directory = join(fence.directory, 'hung');
    mkdirSync(directory);
    const facts = await askHost<{ others: unknown[]; launches: string[]; running: unknown; ended: { done: string; waited: boolean }[] }>('hung-directory.mjs', [kind, directory], { wrap: silent(directory) });
    rmdirSync(directory);
    const inHost = kind === 'group';
    expect(facts.launches).toEqual(inHost ? ['pending'] : ['pending', 'pending']);
    expect(facts.others).toEqual(Array.from({ length: inHost ? 0 : 20 }, () => ({ done: 0, waited: true })));
    expect(facts.running).toEqual({ done: 'SIGTERM', waited: true });
    for (const one of facts.ended) expect(one).toEqual({ done: expect.stringMatching(/^SIG(TERM|KILL)$/), waited: true });
  });

  it('makes a hundred launches that have 64 descriptors whole, or rejects them with EMFILE', async () => {
    const facts = await askHost<{ wrong: string[]; codes: string[]; right: number; later: string }>('many-launches.mjs', ['100', kind], { before: 'ulimit -n 64' });
    expect(facts.wrong).toEqual([]);
    expect(facts.right + facts.codes.length).toBe(100);
    expect(facts.codes.filter((code) => code !== 'EMFILE')).toEqual([]);
    expect(facts.right).toBeGreaterThan(0);
    expect(facts.later).toBe('later\n');
  });

  it('hands over two megabytes of arguments', async () => {
    const { spawn, ends } = heldBy(kind, fence);
    const argument = 'x'.repeat(100_000);
    const handle = spawn(['/bin/sh', '-c', 'n=0; for a; do n=$((n + ${#a})); done; echo $# $n', 'sh', ...Array.from({ length: 20 }, () => argument)], { env: Object.fromEntries(Object.keys(process.env).map((name) => [name, name === 'PATH' ? process.env['PATH'] : undefined])) });
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
    expect(handle.collected.stdout.readFrom(0).text).toBe('20 2000000\n');
    await ends(handle);
  });
});
