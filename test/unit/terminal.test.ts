import { describe, expect, it, vi } from 'vitest';
import { TerminalInput } from '../../src/runtime/terminal/input.ts';
import { openTerminalOutput } from '../../src/runtime/terminal/output.ts';
import type { FakeRange } from './support/fake-binding.ts';
import { fakeRuntime, rejection, stateOf } from './support/fake-binding.ts';

const spec = { argv: ['shell'], cwd: '/', rows: 24, cols: 80, terminalType: 'xterm', graceMs: 100 };

async function started(more: object = {}) {
  const fake = fakeRuntime();
  const asked = fake.runtime.spawnTerminal({ ...spec, ...more });
  await stateOf(asked);
  const range = fake.binding.lastRange;
  fake.binding.fact(range.id, 'started', 4711, 'cgroup');
  return { ...fake, range, terminal: await asked };
}

const member = (pid: number) => ({ pid, ppid: 1, startTime: 7, state: 'D', argv0: 'stuck', rssBytes: 0, cpuMs: 0 });

describe('the allocation', () => {
  it('asks for a terminal of the given size, and nothing else of streams', async () => {
    const { range } = await started();
    expect(range.request.extras).toEqual({ terminal: { rows: 24, cols: 80 } });
  });

  it('gives a handle for a program that was ended before its exec, with the pid that it had', async () => {
    const { binding, runtime } = fakeRuntime();
    const asked = runtime.spawnTerminal(spec);
    await stateOf(asked);
    const range = binding.lastRange;
    range.facts = { launch: 'started', pid: 99 };
    binding.batch([range.id, 'settled', null, 9, 'eof'], [range.id, 'empty', 'proven'], [range.id, 'ended']);
    const terminal = await asked;
    expect(terminal.pid).toBe(99);
    expect(await terminal.done).toEqual({ exitCode: null, signal: 'SIGKILL' });
  });

  it('that is aborted is ended by KILL, and no signal is listened to afterwards', async () => {
    const { binding, runtime } = fakeRuntime();
    const controller = new AbortController();
    const asked = rejection(runtime.spawnTerminal({ ...spec, signal: controller.signal }));
    await stateOf(asked);
    controller.abort('why');
    expect(await asked).toBe('why');
    expect(binding.lastRange.calls).toContain('kill');
  });
});

describe('termination', () => {
  it('that leaves survivors rejects with their pids, and can be tried again (271, 274)', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { terminal, range, binding } = await started();
      range.members = [member(11), member(12)];
      binding.fact(range.id, 'settled', null, 9, 'eof');
      const first = terminal.terminate();
      const failed = rejection(first);
      expect(terminal.terminate()).toBe(first);
      await vi.advanceTimersByTimeAsync(6000);
      expect(await failed).toMatchObject({ code: 'CLEANUP_FAILED', message: 'terminal cleanup failed; surviving pids: 11, 12' });
      range.members = [member(11)];
      const second = terminal.terminate();
      expect(second).not.toBe(first);
      const failedAgain = rejection(second);
      await vi.advanceTimersByTimeAsync(6000);
      expect(await failedAgain).toMatchObject({ message: 'terminal cleanup failed; surviving pid: 11' });
      expect(range.calls).toContain('kill');
      const third = terminal.terminate();
      binding.batch([range.id, 'empty', 'proven'], [range.id, 'ended']);
      await third;
    } finally {
      vi.useRealTimers();
    }
  });

  it('of what outlives its shell begins by itself, and stays the matter of disposal (280, 281)', async () => {
    const { terminal, range, binding, runtime } = await started();
    binding.fact(range.id, 'settled', 0, 0, 'eof');
    await terminal.done;
    expect(range.calls.filter((call) => call === 'terminate')).toHaveLength(1);
    const disposal = runtime.dispose();
    expect(await stateOf(disposal)).toBe('pending');
    binding.batch([range.id, 'lost', 'OWNER_LOST', 'gone', 'range'], [range.id, 'ended']);
    expect(await rejection(disposal)).toMatchObject({ code: 'OWNER_LOST' });
    expect(range.calls).toContain('kill');
  });

  it('does not begin by itself with shellActivity (267)', async () => {
    const { terminal, range, binding } = await started({ shellActivity: true });
    binding.fact(range.id, 'settled', 0, 0, 'eof');
    await terminal.done;
    expect(range.calls).not.toContain('terminate');
  });
});

describe('signalForeground', () => {
  it('rejects with the error of the system (254)', async () => {
    const { terminal, range } = await started();
    range.signalForeground = async () => ({ result: 'failed', processGroupId: 5, code: 'ESRCH', syscall: 'kill' });
    expect(await rejection(terminal.signalForeground('SIGINT'))).toMatchObject({ code: 'ESRCH', syscall: 'kill', stage: 'terminal' });
  });
});

describe('input', () => {
  const input = () => {
    const results: (number | string)[] = [];
    return { results, input: new TerminalInput({ writeInput: () => results.shift() ?? 0 }) };
  };

  it('resolves in order, each when the terminal has taken all of it', async () => {
    const { results, input: queue } = input();
    results.push(10, 30);
    const writes = [queue.write('a'), queue.write('b')] as const;
    expect(await stateOf(writes[0])).toBe('pending');
    queue.wrote(29, null);
    expect(await stateOf(writes[0])).toBeUndefined();
    expect(await stateOf(writes[1])).toBe('pending');
    queue.wrote(30, null);
    await writes[1];
  });

  it('that fails on the way rejects with the system\'s error, what was taken before it not', async () => {
    const { results, input: queue } = input();
    results.push(10, 20);
    const writes = [queue.write('a'), queue.write('b')] as const;
    const failed = rejection(writes[1]);
    queue.wrote(10, 'EIO');
    await writes[0];
    expect(await failed).toMatchObject({ code: 'EIO', syscall: 'write' });
  });

  it('rejects at the exit, and from then on', async () => {
    const { results, input: queue } = input();
    results.push(10);
    const waiting = rejection(queue.write('a'));
    queue.end();
    expect(await waiting).toMatchObject({ code: 'TERMINAL_EXITED' });
    expect(await rejection(queue.write('b'))).toMatchObject({ code: 'TERMINAL_EXITED' });
  });
});

describe('output', () => {
  it('is fetched when it is wanted, and only then', async () => {
    const fetches: string[] = [];
    const range = { output: [] as (Uint8Array | undefined)[], takeOutput: (): Uint8Array | null | undefined => {
      fetches.push('take');
      return range.output.length > 0 ? range.output.shift() : null;
    } } satisfies Pick<FakeRange, 'output' | 'takeOutput'>;
    const { stream, grew } = openTerminalOutput(range);
    grew();
    expect(fetches).toEqual([]);
    const text: string[] = [];
    stream.on('data', (part: Uint8Array) => text.push(String(part)));
    await stateOf(new Promise(() => {}));
    expect(fetches).toEqual(['take']);
    range.output.push(Buffer.from('one'), Buffer.from('two'), undefined);
    const ended = new Promise((resolve) => stream.once('end', resolve));
    grew();
    await ended;
    expect(text.join('')).toBe('onetwo');
  });

  it('of a destroyed stream is dropped as it comes', () => {
    const waiting: (Uint8Array | undefined)[] = [];
    const { stream, grew } = openTerminalOutput({ takeOutput: () => (waiting.length > 0 ? waiting.shift() : null) });
    waiting.push(Buffer.from('a'));
    stream.destroy();
    waiting.push(Buffer.from('b'), Buffer.from('c'));
    grew();
    expect(waiting).toEqual([]);
  });
});
