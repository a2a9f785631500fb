import { describe, expect, it } from 'vitest';
import { SubprocessError } from '../../src/seam/errors.ts';
import { fakeRuntime, rejection, spec, stateOf } from './support/fake-binding.ts';

function start(change: Partial<{ signal: AbortSignal }> = {}) {
  const { binding, runtime } = fakeRuntime();
  const handle = runtime.spawn({ ...spec, ...change });
  return { binding, runtime, handle, native: binding.lastRange, id: binding.lastRange.id };
}

describe('done', () => {
  it('waits for the settled fact, not for the start and not for emptiness', async () => {
    const { binding, handle, id } = start();
    binding.batch([id, 'started', 1, 'cgroup'], [id, 'empty', 'proven']);
    expect(await stateOf(handle.done)).toBe('pending');
    binding.fact(id, 'settled', 7, 0, 'eof');
    expect(await handle.done).toEqual({ exitCode: 7, signal: null });
  });

  it.each([[15, 'SIGTERM'], [9, 'SIGKILL'], [6, 'SIGABRT'], [35, null], [99, null]])('names signal %i %s', async (number, signal) => {
    const { binding, handle, id } = start();
    binding.fact(id, 'settled', null, number, 'eof');
    expect(await handle.done).toEqual({ exitCode: null, signal });
  });

  it('settles once, whatever comes afterwards', async () => {
    const { binding, handle, id } = start();
    binding.batch([id, 'started', 1, 'cgroup'], [id, 'settled', 0, 0, 'eof'], [id, 'lost', 'OWNER_LOST', 'gone'], [id, 'settled', 9, 0, 'eof']);
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
  });

  it('ignores facts after the end, and about ranges that are not known', () => {
    const { binding, id } = start();
    binding.finish(id);
    expect(() => binding.batch([id, 'settled', 1, 0, 'eof'], [999, 'empty', 'proven'])).not.toThrow();
  });
});

describe('a failed launch', () => {
  it('rejects done as Node does, with the stage', async () => {
    const { binding, handle, id } = start();
    binding.fact(id, 'failed', 'ENOENT', 'resolve', 'execve', null);
    const error = await rejection(handle.done);
    expect(error).toBeInstanceOf(SubprocessError);
    expect({ ...error, name: error.name, message: error.message }).toEqual({
      name: 'Error', message: 'spawn program ENOENT', code: 'ENOENT', errno: -2, syscall: 'spawn program', path: 'program', spawnargs: ['one', 'two'], stage: 'resolve',
    });
  });

  it('tells a missing directory from a missing program', async () => {
    const { binding, handle, id } = start();
    binding.fact(id, 'failed', 'ENOENT', 'launch', 'chdir', '/');
    expect(await rejection(handle.done)).toMatchObject({ message: 'chdir / ENOENT', syscall: 'chdir', path: '/', errno: -2 });
  });

  it('keeps the system call that failed as the cause', async () => {
    const { binding, handle, id } = start();
    binding.fact(id, 'failed', 'EMFILE', 'io', 'pipe2', null);
    const error = await rejection(handle.done);
    expect(error).toMatchObject({ message: 'spawn program EMFILE', code: 'EMFILE', stage: 'io' });
    expect(error.cause).toMatchObject({ message: 'pipe2 EMFILE' });
  });

  it('has our own codes with the native message, and no errno', async () => {
    const { binding, handle, id } = start();
    binding.fact(id, 'failed', 'OWNER_UNAVAILABLE', 'own', '', 'cgroup: not writable');
    const error = await rejection(handle.done);
    expect(error).toMatchObject({ message: 'cgroup: not writable', code: 'OWNER_UNAVAILABLE', stage: 'own' });
    expect('errno' in error).toBe(false);
  });

  it('never passes an unknown code off as a known one', async () => {
    const { binding, handle, id } = start();
    binding.fact(id, 'failed', 'E9999', 'launch', 'execve', null);
    expect(await rejection(handle.done)).toMatchObject({ code: 'UNKNOWN', message: 'the launch failed: E9999' });
  });

  it('leaves an empty range: waits are true, terminate does nothing, pid is -1', async () => {
    const { binding, handle, id, native } = start();
    const earlier = handle.waitForExit();
    binding.fact(id, 'failed', 'EACCES', 'launch', 'execve', null);
    expect(await earlier).toBe(true);
    expect(await handle.waitForExit(AbortSignal.abort())).toBe(true);
    handle.terminate();
    expect(native.calls).toEqual([]);
    expect(handle.pid).toBe(-1);
  });
});

describe('waitForExit', () => {
  it('is about the range, not about the command', async () => {
    const { binding, handle, id } = start();
    const wait = handle.waitForExit();
    binding.batch([id, 'started', 1, 'cgroup'], [id, 'settled', 0, 0, 'eof']);
    expect(await stateOf(wait)).toBe('pending');
    binding.fact(id, 'empty', 'proven');
    expect(await wait).toBe(true);
    expect(await handle.waitForExit()).toBe(true);
  });

  it('is false when the signal comes first, and leaves nothing on the signal', async () => {
    const { handle } = start();
    const controller = new AbortController();
    const wait = handle.waitForExit(controller.signal);
    controller.abort();
    expect(await wait).toBe(false);
  });

  it('is false at once for an aborted signal while something lives', async () => {
    const { binding, handle, id, native } = start();
    expect(await handle.waitForExit(AbortSignal.abort())).toBe(false);
    native.members = [{ pid: 1, ppid: 0, startTime: 1, state: 'S', argv0: 'x', rssBytes: 0, cpuMs: 0 }];
    binding.fact(id, 'started', 1, 'cgroup');
    expect(await handle.waitForExit(AbortSignal.abort())).toBe(false);
  });

  it('is true for an aborted signal when nothing lives, although that has not been told yet (173)', async () => {
    const { binding, handle, id } = start();
    binding.batch([id, 'started', 1, 'cgroup'], [id, 'settled', 0, 0, 'eof']);
    expect(await handle.waitForExit(AbortSignal.abort())).toBe(true);
  });

  it('rejects when the owner is lost, now and later; a late rejection is contained (178, 179)', async () => {
    const { binding, handle, id } = start();
    const wait = handle.waitForExit();
    binding.batch([id, 'started', 1, 'subreaper'], [id, 'lost', 'OWNER_LOST', 'the supervisor died']);
    const error = await rejection(wait);
    expect(error).toMatchObject({ code: 'OWNER_LOST', owner: 'subreaper', stage: 'wait', message: 'the supervisor died' });
    expect(await rejection(handle.waitForExit())).toBe(error);
    expect(await rejection(handle.done)).toBe(error);
    expect(await handle.waitForExit(AbortSignal.abort())).toBe(false);
  });

  it('believes in emptiness that is proven after a loss', async () => {
    const { binding, handle, id } = start();
    binding.batch([id, 'started', 1, 'cgroup'], [id, 'lost', 'OWNER_LOST', 'x'], [id, 'empty', 'proven']);
    expect(await handle.waitForExit()).toBe(true);
  });
});

describe('terminate and the signal of the specification', () => {
  it('terminate is handed on until the range is empty, and never throws (166)', () => {
    const { binding, handle, id, native } = start();
    native.terminate = () => {
      native.calls.push('terminate');
      throw new Error('broken');
    };
    const { terminate } = handle;
    expect(terminate()).toBeUndefined();
    terminate();
    expect(native.calls).toEqual(['terminate', 'terminate']);
    binding.finish(id);
    terminate();
    expect(native.calls).toHaveLength(2);
  });

  it('an abort terminates; after the end it changes nothing', () => {
    const first = new AbortController();
    const one = start({ signal: first.signal });
    first.abort();
    expect(one.native.calls).toEqual(['terminate']);
    const second = new AbortController();
    const other = start({ signal: second.signal });
    other.binding.finish(other.id);
    second.abort();
    expect(other.native.calls).toEqual([]);
  });

  it('await using terminates and waits', async () => {
    const { binding, handle, id, native } = start();
    const end = handle[Symbol.asyncDispose]();
    expect(native.calls).toEqual(['terminate']);
    expect(await stateOf(end)).toBe('pending');
    binding.finish(id);
    expect(await end).toBeUndefined();
  });
});

describe('the event loop', () => {
  it('is kept alive until the command has settled', () => {
    const { binding, id } = start();
    expect(binding.keepsAlive).toBe(true);
    binding.batch([id, 'started', 1, 'cgroup'], [id, 'settled', 0, 0, 'deadline']);
    expect(binding.keepsAlive).toBe(false);
  });

  it('is kept alive again while somebody waits or a termination is under way', async () => {
    const { binding, handle, id } = start();
    binding.batch([id, 'started', 1, 'cgroup'], [id, 'settled', 0, 0, 'deadline']);
    const controller = new AbortController();
    const wait = handle.waitForExit(controller.signal);
    expect(binding.keepsAlive).toBe(true);
    controller.abort();
    await wait;
    expect(binding.keepsAlive).toBe(false);
    handle.terminate();
    expect(binding.keepsAlive).toBe(true);
    binding.fact(id, 'empty', 'proven');
    expect(binding.keepsAlive).toBe(false);
  });

  it('is told only of changes, however many ranges there are', () => {
    const { binding, runtime } = fakeRuntime();
    runtime.spawn(spec);
    runtime.spawn(spec);
    binding.finish(1);
    binding.finish(2);
    expect(binding.alive).toEqual([true, false]);
  });
});

describe('pid, report and inspect', () => {
  it('pid waits at most a second while the launch is unknown, then is known', () => {
    const { binding, handle, id, native } = start();
    expect(handle.pid).toBe(4711);
    expect(native.calls).toEqual(['waitPid 1000']);
    binding.fact(id, 'started', 12, 'cgroup');
    expect(handle.pid).toBe(12);
    expect(native.calls).toHaveLength(1);
  });

  it('a copy of the handle works and has no pid to wait for', async () => {
    const { binding, handle, id, native } = start();
    const copy = { ...handle };
    expect(Object.keys(copy)).not.toContain('pid');
    expect(native.calls).toEqual([]);
    binding.finish(id);
    expect(await copy.waitForExit()).toBe(true);
  });

  it('report groups the streams', () => {
    const { handle, native } = start();
    native.facts = { launch: 'started', pid: 3, owner: 'cgroup', stdout: { bytes: 5, retained: 5, spill: 'none' } };
    expect(handle.report()).toEqual({
      launch: 'started', pid: 3, owner: 'cgroup', proof: 'pending', drain: 'pending',
      streams: { stdout: { bytes: 5, retained: 5, spill: 'none' } },
      strays: { count: 0, listed: [] }, escaped: { count: 0, listed: [] },
    });
  });

  it('inspect gives the members', async () => {
    const { handle } = start();
    expect(await handle.inspect()).toEqual({ members: [] });
  });
});
