import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { askHost } from '../support/host.ts';

interface Facts {
  outcome: unknown;
  text: string;
  owner: string;
  proof: string;
  required: string;
  warnings: string[];
}

/** A user without rights gets them in a user namespace, where that is allowed. */
const asUser = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
const allowed = spawnSync('unshare', [...asUser, '--pid', '--fork', '--mount', 'true']).status === 0;
const ran = { outcome: { exitCode: null, signal: 'SIGKILL' }, text: 'here\n' };

/** Runs the host so, or as it is where the kernel lets nobody make namespaces; then there is nothing to be misled by. */
async function view(unshare: string[]): Promise<Facts> {
  const facts = await askHost<Facts>('proc-views.mjs', [], allowed ? { wrap: ['unshare', ...asUser, ...unshare] } : {});
  expect(facts).toMatchObject(ran);
  return facts;
}

describe('numbers from /proc are believed only where it is ours', () => {
  it("not in a pid namespace that has kept another one's: nobody is held by what cannot be seen", async () => {
    const facts = await view(['--pid', '--fork']);
    if (!allowed) return expect(facts.required).toBe('held');
    expect(facts).toMatchObject({ owner: 'group', proof: 'observed', required: 'OWNER_UNAVAILABLE' });
    expect(facts.warnings.join()).toContain('/proc does not show the processes of this pid namespace');
  });

  it('as process 1 of a pid namespace with its own, where everything works', async () => {
    const facts = await view(['--pid', '--fork', '--mount-proc']);
    expect(facts).toMatchObject({ proof: 'proven', required: 'held' });
  });

  it('without any, commands are started all the same, by the owner that needs none', async () => {
    const facts = await view(['--mount', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$@"', 'sh']);
    if (!allowed) return expect(facts.required).toBe('held');
    expect(facts).toMatchObject({ owner: 'group', proof: 'observed', required: 'OWNER_UNAVAILABLE' });
  });
});
