import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compose, start, type Composition } from '../../support/dsh.ts';
import { leakFence } from '../../support/fence.ts';
import { dummy } from '../../support/paths.ts';
import { alive } from '../../support/proc.ts';
import { line, rejection } from '../../support/run.ts';
import { within } from '../../support/until.ts';

leakFence();
let host: Composition;
beforeEach(async () => { host = await compose(); });
afterEach(() => host.dispose());

const all = { maxBytes: 1000 };

describe('N. disposal of the service', () => {
  it('184, 193: fifty live commands end together', async () => {
    const graceMs = 1500;
    const deaf = Array.from({ length: 25 }, () => start(host.subprocess, dummy('ignore-term'), { graceMs }));
    const polite = Array.from({ length: 25 }, () => start(host.subprocess, dummy('trap-term', 3), { graceMs }));
    await Promise.all([...deaf, ...polite].map((handle) => line(handle)));
    // One after the other they would take 25 graces.
    await within(10 * graceMs, 'disposal', host.dispose());
    for (const handle of polite) expect(await handle.done).toEqual({ exitCode: 3, signal: null });
    for (const handle of deaf) expect(await handle.done).toEqual({ exitCode: null, signal: 'SIGKILL' });
    expect([...deaf, ...polite].filter((handle) => alive(handle.pid))).toEqual([]);
  });

  it('185: the survivor of a command that has finished is awaited too', async () => {
    const handle = start(host.subprocess, dummy('daemon', 'close', 'plain', 0));
    await handle.done;
    const daemon = Number(handle.collected.stdout.readFrom(0).text);
    expect(alive(daemon)).toBe(true);
    await host.dispose();
    expect(alive(daemon)).toBe(false);
  });

  it('187: launches that have failed, or fail meanwhile, are tolerated', async () => {
    const early = start(host.subprocess, ['/no/such']);
    await rejection(early.done);
    const late = start(host.subprocess, ['/no/such/either']);
    const failed = rejection(late.done);
    await host.dispose();
    expect(await failed).toMatchObject({ code: 'ENOENT' });
    expect(host.logged).toEqual([]);
  });

  it('191, 211: open control channels are destroyed and closed when it is over, without draining', async () => {
    const handle = host.subprocess.spawn({ argv: ['/bin/sh', '-c', 'echo unread >&7; sleep 30'], cwd: '/', graceMs: 500, stdio: { stdin: 'ignore', stdout: all, stderr: all, control: 'pipe' } });
    await once(handle.control, 'readable');
    await host.dispose();
    expect([handle.control.destroyed, handle.control.closed]).toEqual([true, true]);
  });

  it('192: output that was collected stays readable, and pipes stay the caller\'s', async () => {
    const collected = start(host.subprocess, ['echo', 'collected']);
    const piped = host.subprocess.spawn({ argv: ['echo', 'piped'], cwd: '/', graceMs: 500, stdio: { stdin: 'ignore', stdout: 'pipe', stderr: all } });
    await Promise.all([collected.done, piped.done]);
    await host.dispose();
    expect(collected.collected.stdout.readFrom(0).text).toBe('collected\n');
    expect(await text(piped.stdout)).toBe('piped\n');
  });

  it('194: nothing of it keeps the event loop alive afterwards', async () => {
    await start(host.subprocess, ['true']).done;
    await host.dispose();
    expect(process.getActiveResourcesInfo().filter((name) => name !== 'Timeout' && /Holdfast|ThreadSafe/i.test(name))).toEqual([]);
  });

  it('212: a program that talks is ended, and its channel closed', async () => {
    const handle = host.subprocess.spawn({ argv: dummy('control-echo'), cwd: '/', graceMs: 500, stdio: { stdin: 'ignore', stdout: all, stderr: all, control: 'pipe' } });
    handle.control.write('x');
    await once(handle.control, 'data');
    await host.dispose();
    expect([handle.control.closed, alive(handle.pid)]).toEqual([true, false]);
  });
});
