import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compose, type Composition } from '../../support/dsh.ts';
import { leakFence } from '../../support/fence.ts';
import { alive } from '../../support/proc.ts';
import { rejection } from '../../support/run.ts';
import { waitUntil, within } from '../../support/until.ts';

const fence = leakFence();
let host: Composition;
beforeEach(async () => { host = await compose(); });
afterEach(() => host.dispose());

type Terminal = Awaited<ReturnType<Composition['subprocess']['spawnTerminal']>>;
const open = (argv: string[], more = {}): Promise<Terminal> => host.subprocess.spawnTerminal({ argv, cwd: fence.directory, rows: 24, cols: 80, terminalType: 'vt100', graceMs: 500, ...more });

async function outputOf(terminal: Terminal): Promise<string> {
  let text = '';
  for await (const part of terminal.output) text += String(part);
  return text;
}

describe('Q to U. terminals, through the composition', () => {
  it('7, 231, 232: the handle has exactly the seam\'s enumerable keys; output ends after what was queued', async () => {
    const terminal = await open(['/bin/sh', '-c', 'echo "$TERM ü"; stty size']);
    expect(Object.keys(terminal)).toEqual(['pid', 'output', 'done', 'write', 'resize', 'inspectForeground', 'inspectActivity', 'signalForeground', 'terminate']);
    expect(await within(30_000, 'the output', outputOf(terminal))).toBe('vt100 ü\r\n24 80\r\n');
    expect(await terminal.done).toEqual({ exitCode: 0, signal: null });
    await terminal.terminate();
  });

  it('218, 219, 221: what is wrong with a specification rejects', async () => {
    expect((await rejection(open([]))).message).toContain('terminal argv must contain a program');
    const reason = new Error('mine');
    expect(await rejection(open(['/bin/sh'], { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(await rejection(open(['a\0']))).toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' });
  });

  it('223: without a terminalType, as in 0.1.0-rc.8 of the seam, TERM of the environment counts', async () => {
    const terminal = await open(['/bin/sh', '-c', 'echo "$TERM"'], { terminalType: undefined, env: { TERM: 'dumb' } });
    expect(await outputOf(terminal)).toBe('dumb\r\n');
    await terminal.terminate();
  });

  it('41, 42: the environment is scrubbed as for any command', async () => {
    process.env['DSH_HOME'] = 'x';
    process.env['MY_TOKEN'] = 'x';
    const terminal = await open(['/bin/sh', '-c', 'env | grep -E "^(DSH_|MY_)"; echo end']);
    delete process.env['DSH_HOME'];
    delete process.env['MY_TOKEN'];
    expect(await outputOf(terminal)).toBe('end\r\n');
    await terminal.terminate();
  });

  it('235, 243, 249: it is written to, and its foreground group is seen and signalled', async () => {
    const terminal = await open(['/bin/sh', '-c', 'trap "echo got INT; exit 5" INT; read -r line; echo "<$line>"; while :; do sleep 0.05; done']);
    const output = outputOf(terminal);
    let seen = '';
    terminal.output.on('data', (part) => { seen += String(part); });
    await terminal.write('typed\r');
    expect(await terminal.inspectForeground()).toMatchObject({ processGroupId: terminal.pid });
    await waitUntil('what was typed', () => seen.includes('<typed>'));
    expect(await terminal.signalForeground('SIGINT')).toBe(terminal.pid);
    expect(await within(30_000, 'done', terminal.done)).toEqual({ exitCode: 5, signal: null });
    expect(await output).toContain('got INT');
    await terminal.terminate();
  });

  it('282: disposal of the service ends terminals', async () => {
    const terminal = await open(['/bin/sh', '-c', 'trap "" TERM HUP; while :; do sleep 1; done']);
    terminal.output.resume();
    await within(30_000, 'disposal', host.dispose());
    expect(alive(terminal.pid)).toBe(false);
  });
});
