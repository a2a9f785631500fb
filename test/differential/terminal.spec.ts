// The same programs on terminals of node-pty and of ours: the same bytes, sizes and outcomes. node-pty loses the end of what
// a program prints before it exits, so each program here waits for a key before it does.
import { describe, expect, it } from 'vitest';
import { childEnvironment, LocalSubprocessRuntime } from '../support/holdfast.ts';
import { dummy } from '../support/paths.ts';
import { Screen, terminalSpec } from '../support/terminal-session.ts';
import { within } from '../support/until.ts';
import { spawn } from 'node-pty';
import { PassThrough } from 'node:stream';

interface Open {
  screen: Screen;
  write(text: string): unknown;
  resize(cols: number, rows: number): unknown;
  done: Promise<{ exitCode: number | null; signal: number | string | null }>;
  end(): Promise<unknown>;
}

const native = new LocalSubprocessRuntime();
const second = new LocalSubprocessRuntime({ terminalBackend: 'node-pty' });
const over = (runtime: LocalSubprocessRuntime) => async (argv: readonly string[]): Promise<Open> => {
  const terminal = await runtime.spawnTerminal(terminalSpec(argv));
  return { screen: new Screen(terminal), write: terminal.write, resize: terminal.resize, done: terminal.done, end: terminal.terminate };
};

async function reference([file = '', ...args]: readonly string[]): Promise<Open> {
  const env = childEnvironment(undefined, { TERM: 'xterm-256color', PWD: '/' });
  const pty = spawn(file, args, { name: 'xterm-256color', cols: 80, rows: 24, cwd: '/', env });
  const output = new PassThrough();
  pty.onData((data) => output.write(data));
  const done = new Promise<Awaited<Open['done']>>((resolve) => pty.onExit(({ exitCode, signal }) => {
    output.end();
    resolve(signal ? { exitCode: null, signal } : { exitCode, signal: null });
  }));
  return { screen: new Screen({ output }), write: (text) => pty.write(text), resize: (cols, rows) => pty.resize(cols, rows), done, end: () => done };
}

const sh = (script: string): string[] => ['/bin/sh', '-c', `${script}; echo over; read key; exit 7`];

/** What a person does at the terminal, and what has to be on the screen before the next thing. */
type Step = ['type', string] | ['size', number, number] | ['see', string];

/** Busy, because a program that it waited for would be hit by the signal as well, or not. */
const waits = 'while [ -n "$go" ]; do :; done';

interface Program {
  argv: string[];
  steps?: Step[];
  /** What of the screen is compared. */
  shown?: (text: string) => string;
}

const programs: Record<string, Program> = {
  // Its unused characters are 255, ours are none.
  'the settings of the terminal': { argv: sh('stty -a'), shown: (text) => text.replace(/eol2? = \S+;/g, '').split(/\s+/).join(' ') },
  'its size, and a new one': { argv: dummy('sizes', 1), steps: [['see', '24 x 80'], ['size', 100, 30], ['see', '30 x 100']] },
  'its type and its environment': { argv: sh('echo "$TERM $PWD $HOME $LANG"; pwd') },
  'text, tabs and characters of several bytes': { argv: sh("printf 'a\\tb\\r\\n│─ 終端 🜁\\n'") },
  'many lines': { argv: sh('i=0; while [ $i -lt 3000 ]; do echo "line $i of many"; i=$((i + 1)); done') },
  'echo, erase and control characters': { argv: sh('read line; echo "got $line"'), steps: [['type', 'ab\x7fc\x01é\x7f\n']] },
  'the end of input by ^D': { argv: sh('cat; echo after'), steps: [['type', 'x\n'], ['see', 'x\r\nx\r\n'], ['type', '\x04']] },
  'an interrupt by ^C': { argv: sh(`trap 'echo caught; go=' INT; go=1; echo on; ${waits}`), steps: [['see', 'on\r\n'], ['type', '\x03']] },
  'a quit by ^\\': { argv: sh(`trap 'echo quit; go=' QUIT; go=1; echo on; ${waits}`), steps: [['see', 'on\r\n'], ['type', '\x1c']] },
};

async function play(open: (argv: readonly string[]) => Promise<Open>, { argv, steps = [], shown: compared = (text) => text }: Program) {
  const terminal = await open(argv);
  for (const step of steps) {
    if (step[0] === 'type') await terminal.write(step[1]);
    else if (step[0] === 'size') await terminal.resize(step[1], step[2]);
    else await terminal.screen.until(step[1]);
  }
  if (argv[0] === '/bin/sh') {
    await terminal.screen.until('over\r\n');
    const shown = compared(terminal.screen.text);
    await terminal.write('\n');
    const outcome = await within(30_000, 'the end', terminal.done);
    await terminal.end();
    return { shown, outcome };
  }
  const outcome = await within(30_000, 'the end', terminal.done);
  await terminal.end();
  return { shown: terminal.screen.text, outcome };
}

describe.each(Object.entries(programs))('%s', (_, program) => {
  it.each([['native', native], ['node-pty behind our handle', second]])('%s: as node-pty has it', async (_name, runtime) => {
    const [expected, ours] = [await play(reference, program), await play(over(runtime), program)];
    expect(ours).toEqual(expected);
  });
});

describe('death by a signal', () => {
  it.each([['native', native], ['node-pty behind our handle', second]])('%s: as node-pty has it', async (_name, runtime) => {
    const expected = await (await reference(dummy('kill', 11))).done;
    expect(expected).toEqual({ exitCode: null, signal: 11 });
    const ours = await over(runtime)(dummy('kill', 11));
    expect(await ours.done).toEqual({ exitCode: null, signal: 'SIGSEGV' });
    await ours.end();
  });
});
