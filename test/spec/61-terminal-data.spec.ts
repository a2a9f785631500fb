import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { dummy } from '../support/paths.ts';
import { pattern } from '../support/pattern.ts';
import { alive, residentBytes, state, stat } from '../support/proc.ts';
import { rejection } from '../support/run.ts';
import { openTerminal, runOnTerminal, Screen, terminalSpec } from '../support/terminal-session.ts';
import { waitUntil, within } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();
const sh = (script: string): string[] => ['/bin/sh', '-c', script];
const MIB = 1 << 20;

describe('output', () => {
  it('is all there when a program prints and exits at once, whatever it prints (232, 233)', async () => {
    for (const size of [0, 1, 4095, 4096, 4097, 20_000, 200_000]) {
      for (let round = 0; round < 8; round++) {
        const { bytes, outcome } = await runOnTerminal(runtime, dummy('raw-write', size));
        expect(outcome).toEqual({ exitCode: 0, signal: null });
        expect(bytes.toString('latin1') === pattern(0, size)).toBe(true);
      }
    }
  });

  it('is all there for a reader that begins late, also after the exit (232)', async () => {
    const terminal = await runtime.spawnTerminal(terminalSpec(dummy('raw-write', 100_000)));
    expect(await within(30_000, 'done', terminal.done)).toEqual({ exitCode: 0, signal: null });
    await terminal.terminate();
    expect((await new Screen(terminal).ended).toString('latin1') === pattern(0, 100_000)).toBe(true);
  });

  it('carries exactly the bytes of the program, text or not (231, 241)', async () => {
    const text = '│─ 終端 🜁 é';
    const hex = Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xc3, 0x28, 0x00, 0xe2, 0x82])]).toString('hex');
    const { bytes } = await runOnTerminal(runtime, dummy('hex', 1, 1, ...(hex.match(/../g) as string[])));
    expect(bytes.toString('hex')).toBe(hex);
  });

  it('ends with the top-level process although a member holds the terminal open (234)', async () => {
    const { terminal, screen } = await openTerminal(runtime, dummy('daemon', 'hold', 'deaf', 5), { shellActivity: true });
    expect(await within(30_000, 'done', terminal.done)).toEqual({ exitCode: 5, signal: null });
    const daemon = Number((await within(30_000, 'the end of the output', screen.ended)).toString());
    expect(alive(daemon)).toBe(true);
    await terminal.terminate();
    expect(alive(daemon)).toBe(false);
  });

  it('ends although a member never stops writing (234)', async () => {
    const { terminal, screen } = await openTerminal(runtime, sh('trap "" HUP; yes & echo begun; exit 3'), { shellActivity: true });
    await screen.until('begun');
    expect(await terminal.done).toEqual({ exitCode: 3, signal: null });
    await within(30_000, 'the end of the output', screen.ended);
    // It can go on: nobody waits for a reader that is gone.
    const { members } = await terminal.inspect();
    expect(members.length).toBeGreaterThan(0);
    await terminal.terminate();
  });

  it('that nobody reads stops the program, in bounded memory, and goes on when somebody reads (240)', async () => {
    const before = residentBytes();
    const terminal = await runtime.spawnTerminal(terminalSpec(dummy('raw-write', 64 * MIB)));
    const blocked = await waitUntil('the program to wait for its terminal', () => (state(terminal.pid) === 'S' ? stat(terminal.pid) : undefined));
    expect(blocked.pid).toBe(terminal.pid);
    expect(residentBytes() - before).toBeLessThan(16 * MIB);
    expect(alive(terminal.pid)).toBe(true);
    let bytes = 0;
    for await (const part of terminal.output) {
      bytes += part.length;
      if (bytes < 2 * MIB) await delay(1);
    }
    expect(bytes).toBe(64 * MIB);
    expect(await terminal.done).toEqual({ exitCode: 0, signal: null });
    await terminal.terminate();
  });

  it('that nobody reads does not keep terminate() from ending, and is still there after it (240, 283)', async () => {
    const terminal = await runtime.spawnTerminal(terminalSpec(dummy('raw-write', 64 * MIB)));
    let looks = 0; // it also waits for a moment now and then while its output is taken
    await waitUntil('the program to be stuck in its write', () => (looks = state(terminal.pid) === 'S' ? looks + 1 : 0) >= 200);
    await within(30_000, 'terminate', terminal.terminate());
    expect(await terminal.done).toEqual({ exitCode: null, signal: 'SIGTERM' });
    const bytes = await new Screen(terminal).ended;
    expect(bytes.length).toBeGreaterThan(64 * 1024);
    expect(bytes.toString('latin1') === pattern(0, bytes.length)).toBe(true);
  });

  it('that the caller destroys is thrown away, and the program runs on', async () => {
    const terminal = await runtime.spawnTerminal(terminalSpec(dummy('raw-write', 4 * MIB)));
    terminal.output.destroy();
    expect(await within(30_000, 'done', terminal.done)).toEqual({ exitCode: 0, signal: null });
    await terminal.terminate();
  });

  it('does not end with a program that closes the terminal and works on, which is not hung up either (307, 308)', async () => {
    const closed = await runOnTerminal(runtime, sh('exec 0<&- 1>&- 2>&-; sleep .3; exit 5'));
    expect(closed.outcome).toEqual({ exitCode: 5, signal: null });
    const again = await runOnTerminal(runtime, dummy('reopen', 6));
    expect(again).toMatchObject({ outcome: { exitCode: 6, signal: null }, text: 'again' });
  });

  it('of cat, ended by ^D, is no hang-up in any of many runs (307)', async () => {
    for (let round = 0; round < 25; round++) {
      const { terminal, screen } = await openTerminal(runtime, ['/bin/cat']);
      await terminal.write('line\n\x04');
      expect(await within(30_000, 'the end of cat', terminal.done)).toEqual({ exitCode: 0, signal: null });
      expect((await screen.ended).toString()).toMatch(/^line\r\n(\^D\b\b)?line\r\n(\^D\b\b)?$/);
      await terminal.terminate();
    }
  });
});

describe('input', () => {
  it('reaches the program unchanged, in the order of the calls, however large (235, 239, 242)', async () => {
    const size = 3 * MIB;
    const { terminal, screen } = await openTerminal(runtime, dummy('raw-count', size));
    await screen.until('ready');
    const text = pattern(0, size);
    const writes: Promise<void>[] = [];
    for (let at = 0; at < size;) {
      const next = at + 1 + Math.floor(Math.random() * 300_000);
      writes.push(terminal.write(text.slice(at, next)));
      at = next;
    }
    await within(30_000, 'the writes', Promise.all(writes));
    await screen.until(`${size} bytes, 0 wrong`);
    await terminal.terminate();
  });

  it('waits for a program that does not read, without the event loop and its CPU, and rejects at the exit (236, 309, 311)', async () => {
    const { terminal, screen } = await openTerminal(runtime, dummy('raw-deaf'));
    await screen.until('ready');
    let settled = false;
    const paste = rejection(terminal.write('x'.repeat(4 * MIB)).finally(() => { settled = true; }));
    const before = process.cpuUsage();
    await delay(1000);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(500);
    expect(settled).toBe(false);
    await terminal.terminate();
    expect(await paste).toMatchObject({ code: 'TERMINAL_EXITED', message: 'terminal process has exited' });
  });

  it('that is large, into a stopped program, arrives when it is continued', async () => {
    const size = 200_000;
    const { terminal, screen } = await openTerminal(runtime, dummy('raw-count', size));
    await screen.until('ready');
    process.kill(terminal.pid, 'SIGSTOP');
    await waitUntil('the stop', () => state(terminal.pid) === 'T');
    const written = terminal.write(pattern(0, size));
    process.kill(terminal.pid, 'SIGCONT');
    await within(30_000, 'the write', written);
    await screen.until(`${size} bytes, 0 wrong`);
    await terminal.terminate();
  });

  it('after the exit rejects, and so does a new size (236)', async () => {
    const { terminal } = await runOnTerminal(runtime, ['/bin/true']);
    for (const refused of [terminal.write('x'), terminal.resize(80, 24)]) {
      expect(await rejection(refused)).toMatchObject({ code: 'TERMINAL_EXITED', message: 'terminal process has exited', stage: 'terminal' });
    }
  });

  it('that still waits when its terminal dies reaches no file that is opened meanwhile (310)', async () => {
    const directory = mkdtempSync(join(fence.directory, 'files-'));
    const files: number[] = [];
    for (let round = 0; round < 20; round++) {
      const { terminal, screen } = await openTerminal(runtime, dummy('raw-deaf'), { graceMs: 50 });
      await screen.until('ready');
      const refused = rejection(terminal.write('x'.repeat(MIB)));
      const ended = terminal.terminate();
      for (let i = 0; i < 20; i++) {
        files.push(openSync(join(directory, `${round}-${i}`), 'w'));
        await delay(1);
      }
      expect((await refused).code).toBe('TERMINAL_EXITED');
      await ended;
    }
    for (const fd of files) closeSync(fd);
    const written = readdirSync(directory).filter((name) => statSync(join(directory, name)).size > 0);
    rmSync(directory, { recursive: true });
    expect(written).toEqual([]);
  });

  it('of another type rejects', async () => {
    const { terminal } = await openTerminal(runtime, ['/bin/sleep', '60']);
    expect(await rejection(terminal.write(7 as never))).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' });
    await terminal.terminate();
  });
});

describe('the size', () => {
  it('is changed in the order columns, rows, and the program is told (237)', async () => {
    const { terminal, screen } = await openTerminal(runtime, dummy('sizes', 3));
    await screen.until('24 x 80');
    for (const [cols, rows] of [[132, 50], [1, 1], [65535, 65535]] as const) {
      await terminal.resize(cols, rows);
      await screen.until(`${rows} x ${cols}`);
    }
    expect(await terminal.done).toEqual({ exitCode: 0, signal: null });
    await terminal.terminate();
  });

  it.each([0, -1, 1.5, NaN, 65536, '80'])('of %s rejects with a RangeError, and changes nothing (238)', async (side) => {
    const { terminal } = await openTerminal(runtime, ['/bin/sleep', '60']);
    for (const refused of [terminal.resize(side as number, 24), terminal.resize(80, side as number)]) {
      expect(await rejection(refused)).toMatchObject({ name: 'RangeError', code: 'ERR_OUT_OF_RANGE' });
    }
    await terminal.terminate();
  });
});
