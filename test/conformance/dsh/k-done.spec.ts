import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compose, finish, start, type Composition, type Started } from '../../support/dsh.ts';
import { leakFence } from '../../support/fence.ts';
import { dummy } from '../../support/paths.ts';
import { alive, end, openFiles } from '../../support/proc.ts';
import { line, rejection } from '../../support/run.ts';
import { timed, within } from '../../support/until.ts';

const fence = leakFence();
let host: Composition;
let place: string;
beforeAll(async () => {
  host = await compose();
  place = mkdtempSync(join(dirname(fence.directory), 'holdfast-done-'));
  mkdirSync(join(place, 'directory'));
  closeSync(openSync(join(place, 'plain'), 'w', 0o644));
});
afterAll(async () => {
  await host.dispose();
  rmSync(place, { recursive: true });
});

describe('K. done', () => {
  it('141, 142: exit code or signal, and nothing else', async () => {
    for (const code of [0, 1, 42, 255]) expect((await finish(host.subprocess, dummy('exit', code))).outcome).toEqual({ exitCode: code, signal: null });
    for (const signal of ['SIGKILL', 'SIGTERM', 'SIGSEGV', 'SIGUSR1'] as const) {
      const { outcome } = await finish(host.subprocess, dummy('kill', constants.signals[signal]));
      expect(outcome).toEqual({ exitCode: null, signal });
      expect(Object.keys(outcome)).toEqual(['exitCode', 'signal']);
    }
  });

  it('143, 144: a holder of the pipe delays it by the grace; what came until then is kept, what comes later is not, and the holder lives', async () => {
    let handle!: Started;
    const [ms] = await timed(() => {
      handle = start(host.subprocess, dummy('holder', 'late', 0), { graceMs: 400 });
      return within(30_000, 'done', handle.done);
    });
    expect(ms).toBeGreaterThan(390);
    const holder = Number(handle.collected.stdout.readFrom(0).text);
    expect(alive(holder)).toBe(true);
    end(holder);
    await handle.waitForExit();
    expect(handle.collected.stdout.readFrom(0).text).toBe(`${holder}\n`);
  });

  it('145: a holder in a session of its own does not block it either', async () => {
    const handle = start(host.subprocess, dummy('daemon', 'hold', 'plain', 3), { graceMs: 300 });
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: 3, signal: null });
    handle.terminate();
    await handle.waitForExit();
  });

  it('146, 148: a missing program rejects it, in Node\'s shape; spawn itself returns', async () => {
    const error = await rejection(start(host.subprocess, ['no-such-program', 'x', 'y']).done);
    expect(error).toMatchObject({
      name: 'Error', message: 'spawn no-such-program ENOENT', code: 'ENOENT', errno: -constants.errno.ENOENT,
      syscall: 'spawn no-such-program', path: 'no-such-program', spawnargs: ['x', 'y'],
    });
  });

  it('147: what cannot be executed is EACCES; a missing directory is told apart from a missing program', async () => {
    for (const path of ['plain', 'directory'].map((name) => join(place, name))) {
      expect(await rejection(start(host.subprocess, [path]).done)).toMatchObject({ code: 'EACCES', syscall: `spawn ${path}`, path });
    }
    expect(await rejection(start(host.subprocess, ['true'], { cwd: '/no/such' }).done)).toMatchObject({ code: 'ENOENT', errno: -constants.errno.ENOENT, syscall: 'chdir', path: '/no/such' });
  });

  it('149: after a failed launch terminate is harmless, waitForExit true, and streams are there or not but never hang', async () => {
    const handle = host.subprocess.spawn({ argv: ['/no/such'], cwd: '/', graceMs: 1000, stdio: { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe', control: 'pipe' } });
    await rejection(handle.done);
    handle.terminate();
    expect(await handle.waitForExit()).toBe(true);
    handle.control.destroy();
    for (const stream of [handle.stdout, handle.stderr]) for await (const part of stream) expect.unreachable(String(part));
  });

  it('150: reasons reach the waiting caller as they are, also when they are no errors', async () => {
    for (const reason of ['text', null, 0, { mine: true }]) {
      await host.subprocess.resolveExecutable('sh', {}, AbortSignal.abort(reason)).then(() => expect.unreachable(), (error: unknown) => expect(error).toBe(reason));
    }
  });

  it('151: a failing done that nobody looks at is no unhandled rejection', async () => {
    const seen: unknown[] = [];
    const note = (error: unknown): void => { seen.push(error); };
    process.on('unhandledRejection', note);
    const handle = start(host.subprocess, ['/no/such']);
    await handle.waitForExit();
    await new Promise((resolve) => { setImmediate(resolve); });
    process.off('unhandledRejection', note);
    expect(seen).toEqual([]);
  });

  it('152: death by a signal without a name is never an exit code', async () => {
    expect((await finish(host.subprocess, ['/bin/sh', '-c', 'kill -35 $$'])).outcome).toEqual({ exitCode: null, signal: null });
  });

  it('153: collectors are sealed before it resolves', async () => {
    const before = openFiles();
    const handle = start(host.subprocess, dummy('holder', 'late', 0), { graceMs: 50 });
    await handle.done;
    const sealed = handle.collected.stdout.readFrom(0);
    end(Number(sealed.text));
    await handle.waitForExit();
    expect(handle.collected.stdout.readFrom(0)).toEqual(sealed);
    expect(openFiles()).toEqual(before);
  });

  it('76, 148: it settles for each of many launches, whatever becomes of them', async () => {
    const file = join(place, 'text');
    writeFileSync(file, 'exit 3\n', { mode: 0o755 });
    const codes = await Promise.all([file, '/no/such', join(place, 'plain'), '/bin/true'].map((program) => start(host.subprocess, [program]).done.then((one) => one.exitCode, (error: NodeJS.ErrnoException) => error.code)));
    expect(codes).toEqual([3, 'ENOENT', 'EACCES', 0]);
  });

  it('161: an abort that races a failing launch leaves the launch\'s own error', async () => {
    const controller = new AbortController();
    const handle = start(host.subprocess, ['/no/such'], { signal: controller.signal });
    controller.abort(new Error('mine'));
    expect(await rejection(handle.done)).toMatchObject({ code: 'ENOENT', path: '/no/such' });
  });

  it('170: while it is pending the command belongs to the range, also when it has closed everything', async () => {
    const handle = start(host.subprocess, ['/bin/sh', '-c', 'echo up; exec <&- >&- 2>&-; exec sleep 60']);
    await line(handle);
    expect(await handle.waitForExit(AbortSignal.timeout(100))).toBe(false);
    handle.terminate();
    expect(await handle.waitForExit()).toBe(true);
  });
});
