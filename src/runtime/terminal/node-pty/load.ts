import { createRequire } from 'node:module';
import { SubprocessError } from '../../../seam/errors.js';

/** What is used of one terminal of node-pty. */
export interface NodePtyTerminal {
  readonly pid: number;
  /** Path of the slave, such as /dev/pts/3. In its code, not in its types. */
  readonly ptsName?: string;
  onData(listener: (text: string) => void): unknown;
  onExit(listener: (exit: { exitCode: number; signal?: number }) => void): unknown;
  write(data: string): void;
  resize(cols: number, rows: number): void;
  pause(): void;
  resume(): void;
}

interface NodePty {
  spawn(
    file: string,
    args: readonly string[],
    options: { name: string; cols: number; rows: number; cwd: string; env: Record<string, string> },
  ): NodePtyTerminal;
}

let loaded: NodePty | undefined;

/** node-pty, at the first need: it is an optional dependency with a binary of its own. Throws `BACKEND_UNAVAILABLE`. */
export function loadNodePty(): NodePty {
  try {
    return (loaded ??= createRequire(import.meta.url)('node-pty') as NodePty);
  } catch (cause) {
    throw new SubprocessError('node-pty cannot be loaded, and the terminal backend is "node-pty". Install it: npm install node-pty@npm:@lydell/node-pty', {
      code: 'BACKEND_UNAVAILABLE',
      stage: 'terminal',
      cause,
    });
  }
}
