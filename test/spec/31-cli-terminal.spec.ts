import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { alive } from '../support/proc.ts';
import { onTerminal } from '../support/terminal.ts';
import { waitUntil } from '../support/until.ts';

const place = mkdtempSync(join(tmpdir(), 'holdfast-live-'));
afterAll(() => { rmSync(place, { recursive: true }); });
/** Waits in a shell until a file is there. */
const until = (file: string): string => `until [ -e '${file}' ]; do sleep 0.05; done`;
const script = (text: string, ...options: string[]): string[] => ['run', ...options, '--', 'sh', '-c', text];

describe('on a terminal', () => {
  it('there is a live line with time, bytes, rate and processes, and then only the tail and the report', async () => {
    const go = join(place, 'go');
    const { screen, exitCode } = onTerminal(script(`sleep 100 & seq 1 200000; ${until(go)}; kill $!; exit 5`, '--tail', '1k'));
    await waitUntil('the live line', () => /\r\x1b\[K\d+(\.\d)? m?s · 1\.29 MB · \S+ [kM]?B\/s · 3 processes/.test(screen()));
    writeFileSync(go, '');
    expect(await exitCode).toBe(5);
    rmSync(go);
    const end = screen().slice(screen().lastIndexOf('\x1b[K') + 3).split('\r\n');
    const report = end.findIndex((line) => line.startsWith('holdfast: '));
    expect(end.slice(report - 2, report)).toEqual(['199999', '200000']);
    expect(end[report]).toMatch(/^holdfast: exit code 5 after \d+(\.\d)? m?s · pid \d+ · owner \w+ · nothing left, proven$/);
    expect(end[report + 1]).toMatch(/^ {2}stdout {2}1\.29 MB \(.*\), last 1\.02 kB kept$/);
    expect(end.slice(0, report).join('\n').length).toBeLessThan(1200);
  });

  it('the command does not read what is typed', async () => {
    const { pty, screen, exitCode } = onTerminal(['run', '--', 'cat']);
    pty.write('typed\r');
    expect(await exitCode).toBe(0);
    expect(screen()).toContain('stdout  0 B');
  });

  it('Ctrl-C ends the range and then holdfast; a second one does not wait', async () => {
    const [ready, asked] = [join(place, 'ready'), join(place, 'asked')];
    const hears = `trap "echo > ${asked}" TERM; echo > ${ready}; while :; do sleep 1; done`;
    const { pty, exitCode } = onTerminal(script(`sh -c '${hears}' & exec sleep 300`, '--grace', '1h', '--tail', '0'));
    await waitUntil('it is ready', () => existsSync(ready));
    pty.write('\x03');
    // Two that come in one turn of the loop would be one.
    await waitUntil('the first one was taken', () => existsSync(asked));
    expect(alive(pty.pid)).toBe(true);
    pty.write('\x03');
    expect(await exitCode).toBe(130);
  });

  it('there is no live line where the terminal cannot do it', async () => {
    const { screen, exitCode } = onTerminal(script('sleep 0.5; echo done'), { TERM: 'dumb' });
    expect(await exitCode).toBe(0);
    expect(screen()).toMatch(/^done\r\nholdfast: exit code 0/);
  });

  it('messages of the command appear above the live line, and a half line is never covered by it', async () => {
    const go = join(place, 'go');
    const { screen, exitCode } = onTerminal(script(`printf half >&2; sleep 0.7; echo " line" >&2; ${until(go)}; echo last >&2`), {}, '> /dev/null');
    await waitUntil('the live line below the message', () => /line\r\n\r\x1b\[K[^\r\n]* · [^\r\n]*/.test(screen()));
    writeFileSync(go, '');
    expect(await exitCode).toBe(0);
    rmSync(go);
    expect(screen()).toContain('half line\r\n');
    expect(screen()).toMatch(/line\r\n(\r\x1b\[K[^\r\n]* · [^\r\n]*)+\r\x1b\[Klast\r\n/);
  });
});
