import type { LocalSubprocessRuntime, SubprocessTerminalHandle, SubprocessTerminalSpawnSpec } from './holdfast.ts';
import { within } from './until.ts';

/** Collects what a terminal prints, and lets a test wait for parts of it. */
export class Screen {
  readonly ended: Promise<Buffer>;
  private readonly parts: Buffer[] = [];
  private readonly waiting = new Set<() => void>();
  private over = false;

  constructor({ output }: Pick<SubprocessTerminalHandle, 'output'>) {
    this.ended = new Promise((resolve, reject) => {
      output.on('data', (part: Buffer) => {
        this.parts.push(part);
        this.wake();
      });
      output.once('error', reject);
      output.once('end', () => {
        this.over = true;
        this.wake();
        resolve(this.bytes);
      });
    });
  }

  get bytes(): Buffer {
    return Buffer.concat(this.parts);
  }

  get text(): string {
    return this.bytes.toString();
  }

  /** Waits until the output matches, and returns the match. Rejects when the output ends without it. */
  until(wanted: string | RegExp, ms = 30_000): Promise<RegExpExecArray> {
    const pattern = typeof wanted === 'string' ? new RegExp(wanted.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : wanted;
    const found = new Promise<RegExpExecArray>((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(this.text);
        if (match === null && !this.over) return;
        this.waiting.delete(look);
        if (match !== null) resolve(match);
        else reject(new Error(`the terminal ended without ${String(wanted)}: ${JSON.stringify(this.text)}`));
      };
      this.waiting.add(look);
      look();
    });
    return within(ms, `${String(wanted)} on the terminal`, found);
  }

  private wake(): void {
    for (const look of [...this.waiting]) look();
  }
}

export type TerminalOptions = Partial<SubprocessTerminalSpawnSpec>;

/** A terminal of 24 by 80. */
export function terminalSpec(argv: readonly string[], more: TerminalOptions = {}): SubprocessTerminalSpawnSpec {
  return { argv, cwd: '/', rows: 24, cols: 80, terminalType: 'xterm-256color', graceMs: 3000, ...more };
}

/** A terminal whose output is being read. */
export async function openTerminal(runtime: LocalSubprocessRuntime, argv: readonly string[], more: TerminalOptions = {}) {
  const terminal = await within(30_000, 'the terminal', runtime.spawnTerminal(terminalSpec(argv, more)));
  return { terminal, screen: new Screen(terminal) };
}

/** Runs to the end; nothing is left of it when this returns. */
export async function runOnTerminal(runtime: LocalSubprocessRuntime, argv: readonly string[], more: TerminalOptions = {}) {
  const { terminal, screen } = await openTerminal(runtime, argv, more);
  const [outcome, bytes] = await within(30_000, 'the end of the terminal', Promise.all([terminal.done, screen.ended]));
  await terminal.terminate();
  return { outcome, bytes, text: bytes.toString(), terminal };
}
