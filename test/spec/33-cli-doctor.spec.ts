import { describe, expect, it } from 'vitest';
import { cli, lastJson } from '../support/cli.ts';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';

leakFence();

describe('holdfast doctor', () => {
  it('shows what auto takes here, each owner, the kernel, the limits and the binary', async () => {
    const { chosen, binary } = await new LocalSubprocessRuntime().diagnose();
    const { code, stdout, stderr } = await cli(['doctor']);
    expect({ code, stderr }).toEqual({ code: chosen === 'group' ? 1 : 0, stderr: '' });
    const text = stdout.toString();
    expect(text).toContain(`Commands are held by '${chosen}'`);
    for (const part of ['cgroup', 'scope', 'subreaper', 'group', 'Kernel', 'pidfd', 'clone3', 'close_range', 'cgroup.kill', 'memfd exec', 'Limits', 'open files', binary.path]) expect(text).toContain(part);
  });

  it('gives the diagnosis as JSON', async () => {
    const { code, stdout } = await cli(['doctor', '--json']);
    const { owners, chosen, kernel, limits, binary, warden } = JSON.parse(stdout.toString()) as Record<string, any>;
    expect(code).toBe(chosen === 'group' ? 1 : 0);
    expect(owners.map(({ kind }: { kind: string }) => kind)).toEqual(['cgroup', 'scope', 'subreaper', 'job', 'group']);
    for (const { available, reason } of owners) expect(available || reason !== '').toBe(true);
    expect(Object.keys(kernel)).toEqual(['pidfd', 'clone3', 'closeRange', 'cgroupKill', 'memfdExec', 'children']);
    expect(Object.keys(limits)).toEqual(expect.arrayContaining(['descriptors', 'processes', 'pipeMaxBytes', 'ptys']));
    expect(binary).toMatchObject({ napi: 8, path: expect.stringContaining('holdfast') });
    expect(warden.from).toMatch(/package|memory|override|directory/);
  });

  it('ends with 1 and says why where only an owner is left that proves nothing', async () => {
    const { code, stdout } = await cli(['doctor'], { env: { HOLDFAST_WARDEN: '/bin/false' } });
    expect(code).toBe(1);
    expect(stdout.toString()).toMatch(/held by 'group': their end is observed.*no warden can be started \(HOLDFAST_WARDEN=\/bin\/false: it ended at once\)/s);
  });

  it('has a help text and refuses what it does not know', async () => {
    expect((await cli(['doctor', '--help'])).stdout.toString()).toMatch(/^Usage: holdfast doctor/);
    const { code, stderr } = await cli(['doctor', 'now']);
    expect({ code, stderr }).toEqual({ code: 125, stderr: 'holdfast: holdfast doctor takes --json and nothing else, not "now"\n' });
  });

  it.each(['auto', 'cgroup', 'scope', 'subreaper', 'group'])('run --owner %s is that owner, or says why it cannot be', async (owner) => {
    const { stderr } = await cli(['run', '--json', '--owner', owner, '--', 'true']);
    const { report, error, exitCode } = lastJson(stderr);
    if (error === undefined) expect({ exitCode, owner: owner === 'auto' ? 'auto' : report.owner }).toEqual({ exitCode: 0, owner });
    else expect(error).toMatchObject({ code: 'OWNER_UNAVAILABLE', message: expect.stringContaining(owner) });
  });
});
