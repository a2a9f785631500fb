import { Readable } from 'node:stream';
import type { NativeRange } from '../../binding.js';

/**
 * The terminal's output as a stream. Bytes wait on the native side, which stops reading the terminal when its queue is
 * full; they are fetched when the stream wants some, so its backpressure reaches the program.
 */
export class TerminalOutput extends Readable {
  private readonly native: Pick<NativeRange, 'takeOutput'>;
  private wanting = false;

  constructor(native: Pick<NativeRange, 'takeOutput'>) {
    super({ highWaterMark: 64 * 1024 });
    this.native = native;
  }

  /** There may be output that was not there when it was asked for last. */
  grew(): void {
    if (this.destroyed) this.dropAll();
    else if (this.wanting) this.fetch();
  }

  override _read(): void {
    this.fetch();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.dropAll();
    callback(error);
  }

  private fetch(): void {
    const bytes = this.native.takeOutput();
    this.wanting = bytes === null;
    if (bytes !== null) this.push(bytes ?? null);
  }

  /** Nobody reads any more. The program must not wait for ever for somebody who does. */
  private dropAll(): void {
    for (let bytes = this.native.takeOutput(); bytes !== null && bytes !== undefined; ) bytes = this.native.takeOutput();
  }
}
