import { describe, expect, it } from 'vitest';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { askHost } from '../support/host.ts';

const { owners } = await new LocalSubprocessRuntime().diagnose();
const usable = owners.filter((one) => one.available).map((one) => one.kind);
const user = process.getuid?.() ?? 0;

describe.each(usable)('a command under the owner %s', (kind) => {
  it('has the umask, priority, limits and processors that its host has at the call, and never more rights', async () => {
    const { changed, priority, processor, dropped } = await askHost<{ changed: string[]; priority: string; processor: string; dropped?: string[] }>('host-state.mjs', [kind]);
    expect(changed.slice(0, 4)).toEqual([String(user), '0027', priority, '500']);
    expect(changed[5]).toBe(processor);
    if (user !== 0) return;
    // As nobody the host may not make a cgroup any more: the requirement fails, and nothing runs with what it was.
    if (kind === 'cgroup') expect(dropped).toEqual(['OWNER_UNAVAILABLE']);
    else expect(dropped?.slice(0, 5)).toEqual(['65534', '0027', priority, '500', '0000000000000000']);
  });
});
