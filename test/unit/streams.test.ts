import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, fstatSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { fakeRuntime, rejection, spec, stateOf } from './support/fake-binding.ts';

const place = mkdtempSync(join(tmpdir(), 'holdfast-streams-'));
afterAll(() => rmSync(place, { recursive: true }));
let count = 0;

/** Both ends of a pipe, as descriptors. */
function pipe(): { read: number; write: number } {
  const path = join(place, String(count++));
  execFileSync('mkfifo', [path]);
  const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { read, write: openSync(path, constants.O_WRONLY) };
}

function start(stdio: { stdin?: 'pipe'; stdout?: 'pipe'; control?: 'pipe' }, fds: { stdin?: number; stdout?: number } = {}) {
  const { binding, runtime } = fakeRuntime();
  binding.fdsOfNext = fds;
  const handle = runtime.spawn({ ...spec, stdio: { stdin: 'ignore', stdout: 'inherit', stderr: 'inherit', ...stdio } });
  return { binding, handle, native: binding.lastRange };
}

function isOpen(fd: number): boolean {
  try {
    fstatSync(fd);
    return true;
  } catch {
    return false;
  }
}

describe('stdout as a pipe', () => {
  it('is over for the native side when its end has come, although nobody has read it', async () => {
    const { read, write } = pipe();
    const { handle, native } = start({ stdout: 'pipe' }, { stdout: read });
    writeSync(write, 'unread');
    closeSync(write);
    await expect.poll(() => native.closed).toEqual([1]);
    expect(handle.stdout?.readableEnded).toBe(false);
  });

  it('keeps what was not read until after done (97)', async () => {
    const { read, write } = pipe();
    const { binding, handle, native } = start({ stdout: 'pipe' }, { stdout: read });
    writeSync(write, 'late reader');
    closeSync(write);
    await expect.poll(() => native.closed).toEqual([1]);
    binding.finish(1);
    await handle.done;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await text(handle.stdout as NodeJS.ReadableStream)).toBe('late reader');
    expect(native.closed).toEqual([1]);
  });

  it('is over when the caller destroys it', async () => {
    const { read, write } = pipe();
    const { handle, native } = start({ stdout: 'pipe' }, { stdout: read });
    handle.stdout?.destroy();
    expect(native.closed).toEqual([1]);
    closeSync(write);
  });

  it('is freed after a launch that failed, with an end for who waits for one', async () => {
    const { read, write } = pipe();
    const { binding, handle } = start({ stdout: 'pipe' }, { stdout: read });
    binding.fact(1, 'failed', 'ENOENT', 'resolve', 'execve', null);
    closeSync(write);
    await once(handle.stdout as NodeJS.ReadableStream, 'end');
    await expect.poll(() => isOpen(read)).toBe(false);
  });
});

describe('stdin as a pipe', () => {
  it('delivers, and its end is an end of file', async () => {
    const { read, write } = pipe();
    const { handle } = start({ stdin: 'pipe' }, { stdin: write });
    handle.stdin?.end('to the command');
    await once(handle.stdin as NodeJS.WritableStream, 'close');
    const bytes = Buffer.alloc(100);
    expect(bytes.toString('utf8', 0, readSync(read, bytes))).toBe('to the command');
    closeSync(read);
  });

  it('is destroyed when the command has exited; a late write fails only in its callback (88)', async () => {
    const { read, write } = pipe();
    const { binding, handle } = start({ stdin: 'pipe' }, { stdin: write });
    binding.finish(1);
    expect(handle.stdin?.destroyed).toBe(true);
    const error = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => handle.stdin?.write('x', resolve));
    expect(error?.code).toBe('ERR_STREAM_DESTROYED');
    closeSync(read);
  });

  it('gives EPIPE to the caller, as Node does (87)', async () => {
    const { read, write } = pipe();
    const { binding, handle } = start({ stdin: 'pipe' }, { stdin: write });
    binding.fact(1, 'started', 1, 'cgroup');
    closeSync(read);
    handle.stdin?.write('x');
    const [error] = (await once(handle.stdin as NodeJS.WritableStream, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('EPIPE');
  });

  it('does not raise EPIPE for a launch that failed: done says it', async () => {
    const { read, write } = pipe();
    const { handle, native } = start({ stdin: 'pipe' }, { stdin: write });
    native.facts = { launch: 'failed' };
    closeSync(read);
    handle.stdin?.write('x');
    // Without the exception from the rule the 'error' event would have no listener and end this process.
    await once(handle.stdin as NodeJS.WritableStream, 'close');
  });
});

describe('descriptors that ran out', () => {
  it('leave streams that are there and destroyed', async () => {
    const { binding, handle, native } = start({ stdin: 'pipe', stdout: 'pipe', control: 'pipe' });
    expect([handle.stdin?.destroyed, handle.stdout?.destroyed, handle.control?.destroyed]).toEqual([true, true, true]);
    binding.fact(1, 'failed', 'EMFILE', 'io', 'pipe2', null);
    expect(await rejection(handle.done)).toMatchObject({ code: 'EMFILE', stage: 'io' });
    expect(await stateOf(handle.waitForExit())).toBe(true);
    expect(native.calls).toEqual([]);
  });
});
