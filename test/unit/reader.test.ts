import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { fakeRuntime, rejection, spec, stateOf } from './support/fake-binding.ts';

function start(spill?: { maxBytes: number }) {
  const { binding, runtime } = fakeRuntime();
  const stdio = { ...spec.stdio, stdout: { maxBytes: 100, spill } } as const;
  const handle = runtime.spawn({ ...spec, stdio });
  const native = binding.lastRange;
  const grow = (received: number, complete = received, ended = false): void => {
    native.peeks[1] = [received, complete, ended];
    native.watches.length = 0;
    binding.fact(native.id, 'grew', 1);
  };
  return { binding, handle, native, grow, reader: handle.collected.stdout };
}

describe('a read', () => {
  it('is what the native side says, without a key for a file that is not there', () => {
    const { reader, native } = start();
    native.peeks[1] = [9, 8, false];
    expect(reader.readFrom(1)).toEqual({ text: '1@1', nextOffset: 8, lossy: true });
    expect(Object.keys(reader.readBytes(2))).toEqual(['bytes', 'nextOffset', 'lossy']);
  });

  it('names the spill file as long as it is complete', () => {
    const { reader, native } = start({ maxBytes: 1000 });
    expect('spillPath' in reader.readFrom(0)).toBe(false);
    native.facts = { stdout: { bytes: 500, retained: 100, spill: 'open', spillPath: '/tmp/x' } };
    expect(reader.readFrom(0).spillPath).toBe('/tmp/x');
    native.facts = { stdout: { bytes: 5000, retained: 100, spill: 'discarded' } };
    expect('spillPath' in reader.readBytes(0)).toBe(false);
  });

  it.each([-1, 0.5, Number.NaN, Infinity, 2 ** 53, '1', undefined, null])('refuses the offset %s (112)', async (offset) => {
    const { reader } = start();
    for (const read of [() => reader.readFrom(offset as number), () => reader.readBytes(offset as number)]) {
      expect(read).toThrow(RangeError);
      expect(read).toThrow(expect.objectContaining({ code: 'ERR_OUT_OF_RANGE' }));
    }
    expect(await rejection(reader.changed(offset as number))).toBeInstanceOf(RangeError);
  });

  it('needs no this', () => {
    const { readFrom } = start().reader;
    expect(readFrom(0).text).toBe('1@0');
  });
});

describe('changed', () => {
  it('is true at once when something is there, and false at once after the end', async () => {
    const { reader, native } = start();
    native.peeks[1] = [5, 5, false];
    expect(await reader.changed(4)).toBe(true);
    native.peeks[1] = [5, 5, true];
    expect(await reader.changed(4)).toBe(true);
    expect(await reader.changed(5)).toBe(false);
    expect(await reader.changed(500)).toBe(false);
    expect(native.watches).toEqual([]);
  });

  it('waits for growth, and for the end', async () => {
    const { reader, native, grow } = start();
    const grown = reader.changed(0);
    expect(native.watches).toEqual([[1, 0]]);
    grow(3);
    expect(await grown).toBe(true);
    const ended = reader.changed(3);
    grow(3, 3, true);
    expect(await ended).toBe(false);
  });

  it('is not woken again by a writer that pauses inside a character, until the next byte', async () => {
    const { reader, native, grow } = start();
    const text = reader.changed(0);
    grow(1, 0);
    expect(await stateOf(text)).toBe('pending');
    expect(native.watches).toEqual([[1, 1]]);
    expect(await reader.changed(0, { bytes: true })).toBe(true);
    grow(2, 0);
    expect(native.watches).toEqual([[1, 2]]);
    grow(3, 3);
    expect(await text).toBe(true);
  });

  it('is true for the rest of a character that the end cuts off', async () => {
    const { reader, grow } = start();
    const text = reader.changed(0);
    grow(1, 1, true);
    expect(await text).toBe(true);
  });

  it('arms one watch for any number of callers, and leaves the ones whose offset has not come', async () => {
    const { reader, native, grow } = start();
    const near = Array.from({ length: 100 }, () => reader.changed(0));
    const far = reader.changed(10, { bytes: true });
    expect(native.watches).toEqual([[1, 0]]);
    grow(4);
    expect(await Promise.all(near)).toEqual(near.map(() => true));
    expect(await stateOf(far)).toBe('pending');
    expect(native.watches).toEqual([[1, 10]]);
    grow(11);
    expect(await far).toBe(true);
    expect(native.watches).toEqual([]);
  });

  it('arms again when somebody waits for less', () => {
    const { reader, native } = start();
    void reader.changed(10);
    void reader.changed(5);
    void reader.changed(7);
    expect(native.watches).toEqual([[1, 10], [1, 5]]);
  });

  it('rejects with the reason, before or while it waits, and forgets the caller', async () => {
    const { reader, grow } = start();
    const reason = { why: 'mine' };
    expect(await rejection(reader.changed(0, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    const controller = new AbortController();
    const wait = rejection(reader.changed(0, { signal: controller.signal }));
    controller.abort(reason);
    expect(await wait).toBe(reason);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    grow(1);
  });

  it('is false after a launch that failed, and looked at again when collection is sealed', async () => {
    const failed = start();
    const one = failed.reader.changed(0);
    failed.binding.fact(1, 'failed', 'ENOENT', 'resolve', 'execve', null);
    expect(await one).toBe(false);
    expect(await failed.reader.changed(0)).toBe(false);
    const sealed = start();
    const other = sealed.reader.changed(0);
    sealed.native.peeks[1] = [0, 0, true];
    sealed.binding.fact(1, 'settled', 0, 0, 'deadline');
    expect(await other).toBe(false);
  });
});

describe('collected', () => {
  it('has a key exactly for what is collected (92)', () => {
    const { runtime } = fakeRuntime();
    const handle = runtime.spawn({ ...spec, stdio: { stdin: 'ignore', stdout: 'inherit', stderr: { maxBytes: 0 } } });
    expect(Object.keys(handle.collected)).toEqual(['stderr']);
    expect([handle.stdin, handle.stdout, handle.stderr, handle.control]).toEqual([undefined, undefined, undefined, undefined]);
  });
});
