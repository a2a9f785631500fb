import type { NativeRange } from '../../binding.js';
import { wrongType } from '../../seam/errors.js';
import { systemError } from '../failure.js';
import { exitedError } from './failure.js';

interface Pending {
  /** Bytes of input, of this terminal's whole life, that have been handed over when this write is complete. */
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** What was written and not handed over yet, in order. The text itself waits on the native side. */
export class TerminalInput {
  private readonly native: Pick<NativeRange, 'writeInput'>;
  private readonly pending: Pending[] = [];
  private over = false;

  constructor(native: Pick<NativeRange, 'writeInput'>) {
    this.native = native;
  }

  async write(text: string): Promise<void> {
    if (typeof text !== 'string') throw wrongType('text', 'a string', text);
    if (this.over) throw exitedError();
    const until = this.native.writeInput(text);
    if (until === 'EBADF') throw exitedError();
    if (typeof until === 'string') throw systemError(until, 'write', '', 'terminal');
    if (until === 0) return;
    await new Promise<void>((resolve, reject) => this.pending.push({ until, resolve, reject }));
  }

  /** `total` bytes have been handed over. With `code`, what was still waiting has failed. */
  wrote(total: number, code: string | null): void {
    while (this.pending[0] !== undefined && this.pending[0].until <= total) this.pending.shift()?.resolve();
    if (code !== null) this.fail(() => systemError(code, 'write', '', 'terminal'));
  }

  /** The top-level process has exited. */
  end(): void {
    this.over = true;
    this.fail(exitedError);
  }

  private fail(error: () => Error): void {
    for (const { reject } of this.pending.splice(0)) reject(error());
  }
}
