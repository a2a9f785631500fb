// Faults that other tools were reported for, by number and topic: terminals.
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { provingOwners } from '../support/owners.ts';
import { dummy } from '../support/paths.ts';
import { pattern } from '../support/pattern.ts';
import { openFiles } from '../support/proc.ts';
import { rejection } from '../support/run.ts';
import { openTerminal, runOnTerminal, Screen, terminalSpec } from '../support/terminal-session.ts';
import { waitUntil, within } from '../support/until.ts';

const fence = leakFence();
const sh = (script: string, ...args: string[]): string[] => ['/bin/sh', '-c', script, 'sh', ...args];

describe.each(provingOwners)('held by %s', (owner) => {
  const runtime = new LocalSubprocessRuntime({ ownership: owner });

  it('B083: the end of the output is there in every run, also for a reader that is late', async () => {
    const expected = pattern(0, 20_000);
    let incomplete = 0;
    for (let round = 0; round < 25; round++) {
      await Promise.all(Array.from({ length: 8 }, async () => {
        const { bytes, outcome } = await runOnTerminal(runtime, dummy('raw-write', 20_000));
        expect(outcome).toEqual({ exitCode: 0, signal: null });
        if (bytes.toString('latin1') !== expected) incomplete++;
      }));
    }
    expect(incomplete).toBe(0);
    const late = await runtime.spawnTerminal(terminalSpec(dummy('raw-write', 20_000)));
    await late.done;
    await late.terminate();
    expect((await new Screen(late).ended).toString('latin1') === expected).toBe(true);
    expect((await runOnTerminal(runtime, dummy('raw-write', 2_000_000))).bytes).toHaveLength(2_000_000);
  });

  it('B085: a new size across the exit resolves or rejects, and nothing else happens', async () => {
    const { terminal } = await openTerminal(runtime, ['/bin/sh', '-c', 'read key']);
    let over = false;
    void terminal.done.then(() => { over = true; });
    const answers = new Set<string>();
    for (let i = 0; !over || answers.size === 0 || i % 20 !== 0; i++) {
      answers.add(await terminal.resize(80 + (i % 10), 24).then(() => 'ok', (error: { code: string }) => error.code));
      if (i === 20) await terminal.write('\n');
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    answers.add((await rejection(terminal.resize(80, 24))).code ?? '');
    expect([...answers].sort()).toEqual(['TERMINAL_EXITED', 'ok']);
    for (const [cols, rows] of [[0, 0], [-1, 5], [1.5, 2], [70000, 70000]] as const) {
      expect(await rejection(terminal.resize(cols, rows))).toMatchObject({ code: 'ERR_OUT_OF_RANGE' });
    }
    await terminal.terminate();

    const told = await openTerminal(runtime, dummy('sizes', 1));
    await told.screen.until('24 x 80');
    await told.terminal.resize(100, 30);
    await told.screen.until('30 x 100');
    await told.terminal.terminate();
  });

  it('B087: a typed line beyond the kernel\'s limit is cut by the kernel, and nobody hangs', async () => {
    const { terminal, screen } = await openTerminal(runtime, sh('stty -echo; echo READY; IFS= read -r a; echo "first=${#a}"; IFS= read -r b; echo "second=${#b}"'));
    await screen.until('READY');
    await within(30_000, 'write', terminal.write(`${'y'.repeat(10_000)}\nshort\n`));
    await screen.until('first=4095');
    await screen.until('second=5');
    await terminal.terminate();
  });

  it('B089: hundreds of terminals, and those that cannot start, leave no descriptor', async () => {
    await runOnTerminal(runtime, ['/bin/true']);
    const before = openFiles();
    for (let round = 0; round < 30; round++) {
      await Promise.all(Array.from({ length: 10 }, () => runOnTerminal(runtime, ['/bin/true'])));
    }
    for (let i = 0; i < 50; i++) expect((await rejection(runtime.spawnTerminal(terminalSpec(['/no/such/program'])))).code).toBe('ENOENT');
    // Of a launch that has failed the ends are closed by the launch thread, when it has its turn again.
    await waitUntil('no descriptor more than before', () => openFiles().length <= before.length);
  });

  it('B093: characters of several bytes are whole, wherever the reads cut them', async () => {
    const line = `│${'─'.repeat(398)}│`;
    const { text } = await runOnTerminal(runtime, sh('i=0; while [ $i -lt 200 ]; do printf "%s\\n" "$1"; i=$((i + 1)); done', line));
    expect(text === `${line}\r\n`.repeat(200)).toBe(true);
    expect((await runOnTerminal(runtime, dummy('hex', 1, 1, 'e294'))).text).toBe('\ufffd');
  });

  it('B095: nobody but the host has the master, and the end of a terminal hangs up', async () => {
    const list = 'for f in /proc/$$/fd/*; do echo "${f##*/} $(readlink $f)"; done; echo listed; exec sleep 60';
    const first = await openTerminal(runtime, sh(list));
    await first.screen.until('listed');
    const second = await openTerminal(runtime, sh(list));
    await second.screen.until('listed');
    const plain = runtime.spawn({ argv: sh(list), cwd: fence.directory, graceMs: 1000, stdio: { stdin: 'ignore', stdout: { maxBytes: 10_000 }, stderr: { maxBytes: 1000 } } });
    while (!plain.collected.stdout.readFrom(0).text.includes('listed')) await plain.collected.stdout.changed(plain.collected.stdout.readFrom(0).nextOffset);
    for (const text of [first.screen.text, second.screen.text, plain.collected.stdout.readFrom(0).text]) expect(text).not.toContain('ptmx');
    for (const { screen } of [first, second]) {
      const numbers = [...screen.text.matchAll(/^(\d+) \/dev\/pts\/\d+\r$/gm)].map((match) => Number(match[1]));
      expect(numbers).toEqual([0, 1, 2]);
    }
    plain.terminate();
    await Promise.all([plain.waitForExit(), first.terminal.terminate(), second.terminal.terminate()]);
  });
});
