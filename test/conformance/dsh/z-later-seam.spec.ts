import { Context } from '@deepseek-ai/cordis';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LocalSubprocessRuntime as Dsh } from '../../../dist/adapters/dsh.js';
import type { LocalSubprocessRuntime as Qilin } from '../../../dist/adapters/qilin.js';
import { finish, start } from '../../support/dsh.ts';
import { leakFence } from '../../support/fence.ts';
import { dummy } from '../../support/paths.ts';
import { factsArgv, parseFacts, rejection } from '../../support/run.ts';
import * as seam from '../../fixtures/seams/later.mjs';

// Neither is on the registry: stand-ins with exactly the documented members. For QiLin's, see vitest.config.ts.
vi.mock('@deepseek-ai/dsh-subprocess', () => import('../../fixtures/seams/dsh.mjs' as string));

const load = {
  dsh: async (): Promise<typeof Dsh> => (await import('../../../dist/adapters/dsh.js')).LocalSubprocessRuntime,
  qilin: async (): Promise<typeof Qilin> => (await import('../../../dist/adapters/qilin.js')).LocalSubprocessRuntime,
};

leakFence();

describe.each([['dsh', 'DSH_'], ['qilin', 'QILIN_']] as const)('%s over the later form of its seam', (name, prefix) => {
  let runtime: Dsh;
  let dispose: () => Promise<void>;
  beforeAll(async () => {
    const Provider = await load[name]();
    const ctx = new Context();
    const fiber = await ctx.plugin(Provider as typeof Dsh);
    runtime = ctx.get('subprocess') as Dsh;
    dispose = () => fiber.dispose();
  });
  afterAll(() => dispose());
  afterEach(() => {
    seam.proxy.variables = {};
    vi.unstubAllEnvs();
  });

  it('2: extends the host\'s class', () => {
    expect(runtime).toBeInstanceOf(seam.SubprocessRuntime);
  });

  it('8: a handle has exactly the keys of the seam, and no pid', async () => {
    const handle = start(runtime, ['true']);
    expect(Object.keys(handle)).toEqual(['stdin', 'stdout', 'stderr', 'control', 'collected', 'done', 'terminate', 'waitForExit']);
    expect('pid' in handle).toBe(false);
    expect((await handle.done).exitCode).toBe(0);
    await handle.waitForExit();
  });

  it('23: a miss is the host\'s own error', async () => {
    expect(await rejection(runtime.resolveExecutable('no-such-program'))).toBeInstanceOf(seam.SubprocessExecutableNotFoundError);
    expect(await rejection(runtime.resolveExecutable('/no/such'))).toBeInstanceOf(seam.SubprocessExecutableNotFoundError);
  });

  it('42, 49: children get what the host\'s scrub returns, its proxy\'s variables too; explicit entries win over both', async () => {
    vi.stubEnv(`${prefix}HOME`, 'x');
    seam.proxy.variables = { HTTPS_PROXY: 'http://localhost:1', NO_PROXY: 'host' };
    const { env } = parseFacts((await finish(runtime, factsArgv, { env: { NO_PROXY: 'mine' } })).stdout);
    expect(env).toMatchObject({ HTTPS_PROXY: 'http://localhost:1', NO_PROXY: 'mine' });
    expect(Object.keys(env).filter((one) => one.startsWith(prefix))).toEqual([]);
    vi.stubEnv('PATH', '/no/such');
    seam.proxy.variables = { PATH: '/usr/bin:/bin' };
    expect(await runtime.resolveExecutable('sh')).toMatch(/\/sh$/);
  });

  it('53: the marker is the host\'s', async () => {
    const output = { maxBytes: 1e6 };
    const handle = runtime.spawn({ argv: factsArgv, cwd: '/', graceMs: 1000, stdio: { stdin: 'ignore', stdout: output, stderr: output, control: 'pipe' } });
    await handle.done;
    expect(parseFacts(handle.collected.stdout.readFrom(0).text).env).toHaveProperty(`${prefix}SUBPROCESS_CONTROL`, 'pipe');
    handle.control.destroy();
    await handle.waitForExit();
    expect(() => start(runtime, ['true'], { env: { [`${prefix}SUBPROCESS_CONTROL`]: 'x' } })).toThrow('is reserved');
  });

  it('125: spill files are named after the harness', async () => {
    const output = { maxBytes: 10, spill: { maxBytes: 1000 } };
    const handle = runtime.spawn({ argv: dummy('write', 1, 100, 10, 0), cwd: '/', graceMs: 1000, stdio: { stdin: 'ignore', stdout: output, stderr: output } });
    await handle.done;
    const { spillPath } = handle.collected.stdout.readFrom(0);
    expect(spillPath).toContain(`/${name}-subprocess-`);
    await handle.waitForExit();
    const { rmSync } = await import('node:fs');
    const { dirname } = await import('node:path');
    rmSync(dirname(spillPath as string), { recursive: true });
  });
});
