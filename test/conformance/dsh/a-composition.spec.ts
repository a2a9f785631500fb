import { Context } from '@deepseek-ai/cordis';
import * as seam from '@deepseek-ai/dsh-subprocess';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as entry from '../../../dist/adapters/dsh.js';
import { compose, finish, LocalSubprocessRuntime, start, type Composition } from '../../support/dsh.ts';
import { leakFence } from '../../support/fence.ts';
import { dummy } from '../../support/paths.ts';
import { alive } from '../../support/proc.ts';
import { line } from '../../support/run.ts';

leakFence();
let host: Composition;
beforeEach(async () => { host = await compose(); });
afterEach(() => host.dispose());

const ok = { exitCode: 0, signal: null };

describe('A. composition', () => {
  it('1: the default export is the class plugin, and the named export is the same', () => {
    expect(entry.default).toBe(entry.LocalSubprocessRuntime);
    for (const name of ['inject', 'Config', 'provide']) expect(name in entry.default).toBe(false);
  });

  it('2: ctx.subprocess is an instance of the seam class with its four methods', () => {
    expect(host.subprocess).toBeInstanceOf(seam.SubprocessRuntime);
    for (const method of ['resolveExecutable', 'terminalEnvironment', 'spawn', 'spawnTerminal'] as const) expect(host.subprocess[method]).toBeTypeOf('function');
  });

  it.each([undefined, null, {}, { ownership: 'nonsense', prefix: 5 }])('3: it mounts with the configuration %j, which is ignored', async (config) => {
    const ctx = new Context();
    const fiber = await ctx.plugin(LocalSubprocessRuntime, config);
    expect((await finish(ctx.get('subprocess') as LocalSubprocessRuntime, ['true'])).outcome).toEqual(ok);
    await fiber.dispose();
  });

  it('4: a second provider in the same context is refused, and the first goes on', async () => {
    await expect((async () => { await host.ctx.plugin(LocalSubprocessRuntime); })()).rejects.toThrow('service "subprocess" has been registered');
    expect((await finish(host.subprocess, ['true'])).outcome).toEqual(ok);
  });

  it('5: a consumer that injects the service calls everything through its traced proxy', async () => {
    const results: unknown[] = [];
    const consumer = await host.ctx.plugin({
      name: 'consumer',
      inject: ['subprocess'],
      async apply(ctx: Context) {
        const { subprocess } = ctx as unknown as { subprocess: LocalSubprocessRuntime };
        results.push(await subprocess.resolveExecutable('sh'), await subprocess.terminalEnvironment(), (await finish(subprocess, ['echo', 'traced'])).stdout);
      },
    });
    expect(results).toEqual([expect.stringMatching(/^\/.*\/sh$/), expect.objectContaining({ platform: 'posix' }), 'traced\n']);
    await consumer.dispose();
  });

  it('6: it can be subclassed, and the subclass mounted', async () => {
    class Louder extends LocalSubprocessRuntime {
      override resolveExecutable(command: string): Promise<string> {
        return super.resolveExecutable(command.toLowerCase());
      }
    }
    const other = await compose(Louder);
    expect(await other.subprocess.resolveExecutable('SH')).toMatch(/\/sh$/);
    expect((await finish(other.subprocess, ['true'])).outcome).toEqual(ok);
    await other.dispose();
  });

  it('7, 8: mounting adds one exit listener, before those that were there, and a clean disposal removes it', async () => {
    await host.dispose();
    const mine = (): void => {};
    process.on('exit', mine);
    try {
      const before = process.listeners('exit');
      host = await compose();
      const mounted = process.listeners('exit');
      expect(mounted.slice(1)).toEqual(before);
      await host.dispose();
      expect(process.listeners('exit')).toEqual(before);
    } finally {
      process.removeListener('exit', mine);
    }
  });

  it('9: the listener stays until everything is really over', async () => {
    const count = process.listenerCount('exit');
    const handle = start(host.subprocess, dummy('ignore-term'), { graceMs: 300 });
    await line(handle);
    const disposal = host.dispose();
    expect(process.listenerCount('exit')).toBe(count);
    await disposal;
    expect(alive(handle.pid)).toBe(false);
    expect(process.listenerCount('exit')).toBe(count - 1);
  });

  it('11: after disposal the service is gone, and a new one can be mounted', async () => {
    await host.dispose();
    expect(host.ctx.get('subprocess')).toBeUndefined();
    const fiber = await host.ctx.plugin(LocalSubprocessRuntime);
    expect((await finish(host.ctx.get('subprocess') as LocalSubprocessRuntime, ['true'])).outcome).toEqual(ok);
    await fiber.dispose();
  });

  it('12: fifteen mounted runtimes cause no warning about listeners', async () => {
    const warnings: string[] = [];
    const note = (warning: Error): void => { warnings.push(warning.name); };
    process.on('warning', note);
    const many = await Promise.all(Array.from({ length: 15 }, () => compose()));
    await Promise.all(many.map((one) => one.dispose()));
    await new Promise((resolve) => { setImmediate(resolve); });
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('13: spawn on a reference kept past disposal is refused: nobody would own the process', async () => {
    const { subprocess } = host;
    await host.dispose();
    expect(() => start(subprocess, ['true'])).toThrow(expect.objectContaining({ code: 'DISPOSED' }) as Error);
  });
});

describe('1.7 the handle', () => {
  it('8: it has exactly the seam\'s enumerable keys, and pid where the seam has it; the rest is there unseen', async () => {
    const handle = start(host.subprocess, ['true']);
    expect(Object.keys(handle)).toEqual(['stdin', 'stdout', 'stderr', 'control', 'collected', 'done', 'terminate', 'waitForExit']);
    expect(handle.pid).toBeGreaterThan(0);
    const { done, waitForExit, terminate } = handle;
    expect(await done).toEqual(ok);
    expect(await waitForExit()).toBe(true);
    terminate();
    expect(handle.report()).toMatchObject({ launch: 'started' });
    const failed = start(host.subprocess, ['/no/such']);
    await failed.done.catch(() => {});
    expect(failed.pid).toBe(-1);
    await failed[Symbol.asyncDispose]();
  });
});

describe('A. composition whose end fails', () => {
  afterEach(() => { vi.restoreAllMocks(); });

  it('10: kills what remains, reports the failures, and keeps the handles and the listener', async () => {
    const { RuntimeCore } = await import('../../../dist/runtime/core.js');
    const count = process.listenerCount('exit');
    const handle = start(host.subprocess, dummy('sleep', 30_000));
    const real = RuntimeCore.prototype.dispose;
    const failures = [new Error('first'), new Error('second')];
    vi.spyOn(RuntimeCore.prototype, 'dispose').mockRejectedValue(new AggregateError(failures, 'ours'));
    await host.dispose();
    // Cordis logs each error of an AggregateError.
    expect(host.logged).toEqual(failures.map((error) => ({ type: 'error', args: [error] })));
    expect(process.listenerCount('exit')).toBe(count);
    vi.restoreAllMocks();
    await real.call((host.subprocess as unknown as { core: InstanceType<typeof RuntimeCore> }).core);
    expect(alive(handle.pid)).toBe(false);
  });
});
