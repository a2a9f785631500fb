import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { askHost } from '../support/host.ts';
import { usableOwners } from '../support/owners.ts';
import { dummyPath, root } from '../support/paths.ts';
import { asNobodyElse } from '../support/privilege.ts';

// What else runs out: descriptors in 19, 42 and 51, processes in 42, terminals in 64, bytes and inodes of a disk in 10; and
// memory at each call of native code in test/faults.
const place = mkdtempSync(join(tmpdir(), 'holdfast-starvation-'));
afterAll(() => { rmSync(place, { recursive: true, force: true }); });

const killed = { exitCode: null, signal: 'SIGKILL' };
const ended = { exitCode: 0, signal: null };

describe('a host', () => {
  it('whose user has no memory left for pipes collects every byte through small ones', async () => {
    const answer = await askHost('starved.mjs', ['pipes', '/', dummyPath, 'subreaper'], { wrap: asNobodyElse });
    expect(answer).toEqual({ refused: 'EPERM', outcome: ended, whole: true, left: [] });
  });

  it('whose disk has stopped goes on but for the stream that spills, which is whole when the disk goes on', async () => {
    const env = { LD_PRELOAD: `${root}build/test/spill-faults.so`, SPILL_FAULT: 'stop', SPILL_GATE: join(place, 'gate') };
    const answer = await askHost('starved.mjs', ['disk', place, dummyPath], { env });
    expect(answer).toEqual({ open: true, others: Array.from({ length: 5 }, () => ['there\n', true]).flat(), outcome: ended, whole: true, spill: 'complete', left: [] });
  });

  it.each(usableOwners)('that is stopped for seconds keeps every fact, held by %s', async (owner) => {
    const answer = await askHost('starved.mjs', ['stopped', place, dummyPath, owner]);
    const proof = owner === 'group' ? 'observed' : 'proven';
    // Nothing is on its stdin, so it reads an end of file.
    expect(answer).toEqual({ first: { exitCode: 3, signal: null }, second: killed, text: 'begun\nlate\n', empty: [true, true], proofs: [proof, proof], owners: [owner, owner], left: [] });
  });

  it('whose wall clock jumps gives the grace that was asked for', async () => {
    const answer = await askHost('starved.mjs', ['clock', place, dummyPath], { env: { LD_PRELOAD: `${root}build/test/spill-faults.so`, SPILL_FAULT: 'clock' } });
    expect(answer).toEqual({ jumps: true, outcome: killed, waited: true, empty: true, left: [] });
  });
});
