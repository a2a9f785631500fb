import { describe, expect, it } from 'vitest';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { askHost } from '../support/host.ts';

const { owners, chosen } = await new LocalSubprocessRuntime().diagnose();
const available = owners.filter((one) => one.available).map((one) => one.kind);

describe('with 0 to 40 free descriptors, from before the first spawn on', () => {
  it.each(['auto', ...available])('owner %s: each launch works or fails with EMFILE, none is held by a weaker owner, and nothing is left', async (ownership) => {
    const facts = await askHost<{ first: number; answers: Record<string, number>; warnings: string[]; left: string[]; later: string; owner: string }>(
      'descriptor-sweep.mjs', [ownership, '40'], { before: 'ulimit -n 80' });
    const owner = ownership === 'auto' ? chosen : ownership;
    // "failed" with a signal: ended by the caller before it was launched.
    const allowed = ['EMFILE failed', 'SIGTERM failed', `0 ${owner}`, `SIGTERM ${owner}`];
    expect(Object.keys(facts.answers).filter((answer) => !allowed.includes(answer))).toEqual([]);
    expect(facts.answers['EMFILE failed']).toBeGreaterThan(10);
    expect(facts.first).toBeGreaterThan(1);
    expect(facts).toMatchObject({ left: [], later: 'later\n', owner });
    if (owner === owners[0]?.kind) expect(facts.warnings).toEqual([]);
  });
});
