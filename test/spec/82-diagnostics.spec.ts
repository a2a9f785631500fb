import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { type HoldfastEvents, HOLDFAST_EVENTS, LocalSubprocessRuntime } from '../support/holdfast.ts';
import { dummy } from '../support/paths.ts';
import { run, spawnCollecting } from '../support/run.ts';

const { directory } = leakFence();

type Heard = { [Name in keyof HoldfastEvents]: [Name, HoldfastEvents[Name]] }[keyof HoldfastEvents];

/** Everything that is published while `action` runs. */
async function heard(action: () => Promise<unknown>): Promise<Heard[]> {
  const events: Heard[] = [];
  const hear = (message: unknown, name: string | symbol): void => void events.push([name, message] as Heard);
  for (const name of HOLDFAST_EVENTS) subscribe(name, hear);
  try {
    await action();
  } finally {
    for (const name of HOLDFAST_EVENTS) unsubscribe(name, hear);
  }
  return events;
}

const message = <Name extends keyof HoldfastEvents>(events: Heard[], name: Name) => events.find((event) => event[0] === name)?.[1] as HoldfastEvents[Name] | undefined;

describe('diagnostics_channel', () => {
  it('tells the life of a command, without arguments and environment', async () => {
    await using runtime = new LocalSubprocessRuntime();
    const events = await heard(() => run(runtime, ['sh', '-c', 'echo secret-word; exit 3'], directory, { env: { WORD: 'secret-word' } }));
    expect(events.map(([name]) => name).filter((name) => name !== 'holdfast:terminate').slice(0, 4)).toEqual(['holdfast:spawn', 'holdfast:owner', 'holdfast:exit', 'holdfast:drain']);
    expect(message(events, 'holdfast:exit')).toMatchObject({ outcome: { exitCode: 3, signal: null } });
    expect(message(events, 'holdfast:drain')).toMatchObject({ drain: 'eof', streams: { stdout: { bytes: 12 } } });
    expect(message(events, 'holdfast:empty')).toMatchObject({ strays: 0, escaped: 0 });
    expect(new Set(events.map(([, { id }]) => id)).size).toBe(1);
    expect(JSON.stringify(events)).not.toContain('secret-word');
  });

  it('tells arguments and environment when asked', async () => {
    await using runtime = new LocalSubprocessRuntime({ diagnostics: { argv: true, env: true } });
    const events = await heard(() => run(runtime, ['true', 'x'], directory, { env: { A: 'b' } }));
    expect(message(events, 'holdfast:spawn')).toMatchObject({ argv: ['true', 'x'], env: { A: 'b' }, cwd: directory });
  });

  it('tells a termination once, and what a spill became', async () => {
    await using runtime = new LocalSubprocessRuntime({ removeSpillOnDispose: true });
    const events = await heard(async () => {
      const handle = runtime.spawn({ argv: dummy('write', 1, 100_000, 4096, 0), cwd: directory, graceMs: 2000, stdio: { stdin: 'ignore', stdout: { maxBytes: 100, spill: { maxBytes: 1e6 } }, stderr: 'inherit' } });
      await Promise.all([handle.done, handle.waitForExit()]);
      const sleeper = spawnCollecting(runtime, ['sleep', '60'], directory);
      sleeper.terminate();
      sleeper.terminate();
      await Promise.all([sleeper.done, sleeper.waitForExit()]);
    });
    expect(message(events, 'holdfast:spill')).toMatchObject({ stream: 'stdout', spill: 'complete', bytes: 100_000 });
    expect(events.filter(([name]) => name === 'holdfast:terminate')).toHaveLength(1);
  });

  it('tells a failed launch by its code, not by its arguments', async () => {
    await using runtime = new LocalSubprocessRuntime();
    const events = await heard(() => spawnCollecting(runtime, ['no-such-program', 'secret-word'], directory).done.catch(() => {}));
    expect(message(events, 'holdfast:exit')).toMatchObject({ error: { code: 'ENOENT', stage: 'resolve' } });
    expect(JSON.stringify(events)).not.toContain('secret-word');
  });

  it('tells of a terminal', async () => {
    await using runtime = new LocalSubprocessRuntime();
    const events = await heard(async () => {
      const terminal = await runtime.spawnTerminal({ argv: ['true'], cwd: directory, rows: 24, cols: 80, terminalType: 'dumb', graceMs: 2000 });
      terminal.output.resume();
      await terminal.done;
      await terminal.terminate();
    });
    expect(message(events, 'holdfast:terminal')).toMatchObject({ rows: 24, cols: 80 });
    expect(message(events, 'holdfast:spawn')).toBeUndefined();
    expect(message(events, 'holdfast:exit')).toMatchObject({ outcome: { exitCode: 0 } });
  });
});
