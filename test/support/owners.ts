import { expect } from 'vitest';
import type { Fence } from './fence.ts';
import { LocalSubprocessRuntime, type OwnerKind } from './holdfast.ts';
import { alive } from './proc.ts';
import { spawnCollecting, type CollectingHandle } from './run.ts';
import { within } from './until.ts';

const { owners } = await new LocalSubprocessRuntime({ onWarning: () => {} }).diagnose();

/** Every owner that can be used here, or those of them that HOLDFAST_TEST_OWNERS names, separated by commas. */
const named = process.env.HOLDFAST_TEST_OWNERS?.split(',');
export const usableOwners: OwnerKind[] = owners.filter(({ kind, available }) => available && (named?.includes(kind) ?? true)).map((one) => one.kind);

/** The owners that prove, as far as they can be used here. */
export const provingOwners: OwnerKind[] = owners.filter(({ kind, proof }) => usableOwners.includes(kind) && proof === 'proven').map((one) => one.kind);

export const proves = (kind: OwnerKind): boolean => provingOwners.includes(kind);

/** A leaf of its own bounds the range (`cgroup`, `scope`); the kernel ends its members whatever rights they have. */
export const inLeaf = (kind: OwnerKind): boolean => kind === 'cgroup' || kind === 'scope';

export interface Owned {
  readonly kind: OwnerKind;
  readonly runtime: LocalSubprocessRuntime;
  spawn(argv: readonly string[], more?: Parameters<typeof spawnCollecting>[3]): CollectingHandle;
  /**
   * Terminates and checks that it is empty within `ms`, that none of `pids` is alive, and that the report says how this is
   * known: `proof`, or else what this owner can say.
   */
  ends(handle: CollectingHandle, pids?: readonly number[], options?: { ms?: number; proof?: 'proven' | 'observed' }): Promise<void>;
}

/** A runtime that holds everything by one owner, for the files that say the same of each. */
export function heldBy(kind: OwnerKind, fence: Fence): Owned {
  const runtime = new LocalSubprocessRuntime({ ownership: kind, onWarning: () => {} });
  return {
    kind,
    runtime,
    spawn: (argv, more = {}) => spawnCollecting(runtime, argv, fence.directory, { graceMs: 300, ...more }),
    async ends(handle, pids = [], { ms = 30_000, proof = proves(kind) ? 'proven' : 'observed' } = {}) {
      handle.terminate();
      expect(await within(ms, 'emptiness', handle.waitForExit())).toBe(true);
      await within(ms, 'done', handle.done);
      expect([handle.pid, ...pids].filter(alive)).toEqual([]);
      expect(handle.report()).toMatchObject({ owner: kind, proof });
      expect(await handle.inspect()).toEqual({ members: [] });
    },
  };
}
