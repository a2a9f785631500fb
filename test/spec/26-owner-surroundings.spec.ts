// What owners stand on: /proc, process numbers, cgroup directories. Too few descriptors and processes: 19 and 51.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { askHost } from '../support/host.ts';
import { inLeaf, proves, usableOwners } from '../support/owners.ts';
import { asNobodyElse, ownMounts, ownPids } from '../support/privilege.ts';

leakFence();

interface Facts {
  outcome: unknown;
  text: string;
  owner: string;
  proof: string;
  required: string;
  warnings: string[];
}

const isRoot = process.getuid?.() === 0;
/** A user without rights gets them in a user namespace, where that is allowed. */
const asUser = isRoot ? [] : ['--user', '--map-root-user'];
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

interface Changed<T = unknown> {
  answers: T[];
  next: unknown;
  text: string;
}
interface Range {
  done: number | string;
  waited: boolean;
  owner: string;
  proof: string;
  escaped: { count: number; listed: { pid: number; endedBy?: string }[] };
}

describe.each(usableOwners)('the owner %s', (kind) => {
  const proof = proves(kind) ? 'proven' : 'observed';
  const next = { done: 0, waited: true, owner: kind, proof, escaped: { count: 0, listed: [] } };

  // The shell is process 1 there, and fetches what falls to it, which a Node does not.
  it.runIf(allowed)('never signals a stranger where every process number is given away again within a second', async () => {
    const facts = await askHost('small-pid-space.mjs', [kind, '24'], { wrap: [...ownPids, '/bin/sh', '-c', '"$@"; exit $?', 'sh'] });
    expect(facts).toEqual({ ended: true, untouched: true, struck: [], wrapped: true });
  });

  const told = proves(kind) ? 'ends what it holds' : 'which sees members nowhere else, claims nothing';
  it.runIf(allowed)(`${told} when something is mounted over /proc, and starts the next command`, async () => {
    const { answers, next: later, text } = await askHost<Changed<Range>>('changed-surroundings.mjs', ['proc-gone', kind], { wrap: ownMounts });
    expect(answers[2]).toEqual({ hidden: true, lives: !proves(kind) });
    for (const answer of answers.slice(0, 2)) expect(answer).toMatchObject({ waited: true, owner: kind, proof });
    expect({ later, text }).toEqual({ later: next, text: 'later\n' });
  });
});

const notInLeaves = usableOwners.filter((kind) => !inLeaf(kind));
describe.runIf(isRoot && notInLeaves.length > 0)("a user's own processes in a /proc that hides those of others", () => {
  const hiding = ['unshare', '--mount', '/bin/sh', '-c', 'mount -t proc -o hidepid=invisible proc /proc && exec "$@"', 'sh'];

  it.each(notInLeaves)('are held by %s all the same', async (kind) => {
    const { answers } = await askHost<Changed<Range>>('changed-surroundings.mjs', ['nothing', kind], { wrap: [...hiding, ...asNobodyElse] });
    expect(answers).toEqual([{ done: 0, waited: true, owner: kind, proof: proves(kind) ? 'proven' : 'observed', escaped: { count: 0, listed: [] }, left: false }]);
  });
});

describe.runIf(usableOwners.includes('cgroup'))('the directory of a cgroup', () => {
  it('that is removed between two commands is made anew for the next', async () => {
    const { answers, next } = await askHost<Changed<Range>>('changed-surroundings.mjs', ['subtree-removed', 'cgroup']);
    expect(answers).toMatchObject([{ done: 0, proof: 'proven' }]);
    expect(next).toMatchObject({ done: 0, waited: true, owner: 'cgroup', proof: 'proven' });
  });

  it('that a member leaves by writing itself into another takes the proof away; the member is reported and ended', async () => {
    const { answers, next } = await askHost<Changed<Range & { pid: number; left: boolean }>>('changed-surroundings.mjs', ['leaf-left', 'cgroup']);
    expect(answers).toHaveLength(2);
    for (const { pid, waited, proof, escaped, left } of answers) {
      expect({ waited, proof, left }).toEqual({ waited: true, proof: 'observed', left: false });
      expect(escaped.listed).toContainEqual(expect.objectContaining({ pid, endedBy: 'KILL' }));
    }
    expect(next).toMatchObject({ done: 0, waited: true, proof: 'proven' });
  });
});
