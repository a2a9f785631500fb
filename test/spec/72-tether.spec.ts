import { readFileSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, expectTypeOf, it } from 'vitest';
import { SubprocessError, SubprocessExecutableNotFoundError, SubprocessOutcome, subprocessPlugin, SubprocessRuntime, SubprocessStdio } from '../../dist/adapters/tether.js';
import type { SubprocessReader, TetherScope } from '../../dist/adapters/tether.js';
import { leakFence } from '../support/fence.ts';
import { dummy } from '../support/paths.ts';
import { pattern } from '../support/pattern.ts';
import { alive } from '../support/proc.ts';
import { factsArgv, parseFacts, rejection } from '../support/run.ts';
import { within } from '../support/until.ts';

const fence = leakFence();
const runtime = new SubprocessRuntime();
afterAll(() => runtime.dispose());

const { ignore, collect, pipe, data } = SubprocessStdio;
const base = { workingDirectory: '/', graceMs: 1000, standardInput: ignore, standardOutput: collect(1 << 20), standardError: collect(1000) };

describe('a command in Tether\'s words', () => {
  it('tells its outcome: exit code, and whether it succeeded', async () => {
    const command = runtime.spawn({ ...base, argv: ['echo', 'hello'] });
    expectTypeOf(command.collectedStdout).toEqualTypeOf<SubprocessReader>();
    expectTypeOf(command.standardOutput).toEqualTypeOf<undefined>();
    const outcome = await command.done;
    expect(outcome).toBeInstanceOf(SubprocessOutcome);
    expect([outcome.exitCode, outcome.succeeded]).toEqual([0, true]);
    expect(command.collectedStdout.readFrom(0)).toEqual({ text: 'hello\n', nextOffset: 6, lossy: false });
    expect(await command.waitForExit()).toBe(true);
    const failing = await runtime.spawn({ ...base, argv: dummy('exit', 3) }).done;
    expect([failing.exitCode, failing.succeeded]).toEqual([3, false]);
    const killed = await runtime.spawn({ ...base, argv: dummy('kill', 9) }).done;
    expect([killed.exitCode, killed.succeeded]).toEqual([null, false]);
  });

  it('has streams where pipe was asked for, and takes data', async () => {
    const command = runtime.spawn({ ...base, argv: ['cat'], standardInput: pipe, standardOutput: pipe });
    expect(command.collectedStdout).toBeUndefined();
    command.standardInput.end('through');
    expect(await text(command.standardOutput)).toBe('through');
    await command.waitForExit();
    const given = runtime.spawn({ ...base, argv: ['cat'], standardInput: data('given') });
    await given.done;
    expect(given.collectedStdout.readFrom(0).text).toBe('given');
    await given.waitForExit();
  });

  it('gets an environment without the prefix and without the entries that are null', async () => {
    process.env['TETHER_SESSION'] = 'x';
    process.env['ORDINARY'] = 'x';
    const command = runtime.spawn({ ...base, argv: factsArgv, environment: { ORDINARY: null, GIVEN: 'x', TETHER_FACT: 'x' } });
    delete process.env['TETHER_SESSION'];
    delete process.env['ORDINARY'];
    await command.done;
    const { env } = parseFacts(command.collectedStdout.readFrom(0).text);
    expect(Object.keys(env).filter((name) => /^(TETHER_|ORDINARY|GIVEN)/.test(name)).sort()).toEqual(['GIVEN', 'TETHER_FACT']);
    await command.waitForExit();
  });

  it('spills into tether-subprocess, into a file named after process and stream', async () => {
    const command = runtime.spawn({ ...base, argv: dummy('write', 1, 5000, 100, 0), standardOutput: collect(1000, 10_000) });
    await command.done;
    const { spillPath, lossy } = command.collectedStdout.readFrom(0);
    expect(lossy).toBe(true);
    expect(readFileSync(spillPath as string, 'latin1')).toBe(pattern(0, 5000));
    expect(basename(spillPath as string)).toMatch(new RegExp(`^tether-${process.pid}-\\d+-[0-9a-f]{12}-stdout\\.log$`));
    const folder = dirname(dirname(spillPath as string));
    expect(folder).toBe(`${fence.directory}/tether-subprocess`);
    await command.waitForExit();
    rmSync(folder, { recursive: true });
  });

  it('has the process id -1 and one of two errors when it could not be started', async () => {
    const command = runtime.spawn({ ...base, argv: ['/no/such'] });
    const error = await rejection(command.done);
    expect(error).toBeInstanceOf(SubprocessError);
    expect(error).toMatchObject({ code: 'ENOENT', path: '/no/such' });
    expect(command.processId).toBe(-1);
    expect(await rejection(runtime.resolveExecutable('no-such-program'))).toBeInstanceOf(SubprocessExecutableNotFoundError);
    expect(() => runtime.spawn({ ...base, argv: [] })).toThrow('invalid argv');
  });

  it('ends by terminate, with everything that it started', async () => {
    const command = runtime.spawn({ ...base, argv: ['/bin/sh', '-c', 'setsid sleep 60 & echo $!; wait'] });
    await command.collectedStdout.changed(0);
    const child = Number(command.collectedStdout.readFrom(0).text);
    expect(command.processId).toBeGreaterThan(0);
    command.terminate();
    expect(await within(30_000, 'emptiness', command.waitForExit())).toBe(true);
    expect(alive(child)).toBe(false);
  });
});

describe('a scope', () => {
  function scope(): TetherScope & { provided: Record<string, unknown>; ends: (() => Promise<void>)[] } {
    const provided: Record<string, unknown> = {};
    const ends: (() => Promise<void>)[] = [];
    return { provided, ends, provide: (name, value) => { provided[name] = value; }, onDispose: (end) => { ends.push(end); } };
  }

  it('gets a runtime, and ends what that owns with itself', async () => {
    const mine = scope();
    const provided = subprocessPlugin(mine);
    expect(mine.provided).toEqual({ subprocess: provided });
    const command = provided.spawn({ ...base, argv: ['sleep', '60'] });
    expect(command.processId).toBeGreaterThan(0);
    for (const end of mine.ends) await end();
    expect(alive(command.processId)).toBe(false);
    expect(() => provided.spawn({ ...base, argv: ['true'] })).toThrow(expect.objectContaining({ code: 'DISPOSED' }) as Error);
  });
});
