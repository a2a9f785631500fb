import type { Readable } from 'node:stream';
import type { NativeRange } from '../../binding.js';

export interface TerminalOutput {
  readonly stream: Readable;
  /** There may be output that was not there when it was asked for last. */
  readonly grew: () => void;
}

/**
 * The terminal's output as a stream. Bytes wait on the native side, which stops reading the terminal when its queue is
 * full; they are fetched when the stream wants some, so its backpressure reaches the program.
 */
export function openTerminalOutput(native: Pick<NativeRange, 'takeOutput'>): TerminalOutput {
  // Loaded by the first terminal: Node's streams are a good part of what importing the package would cost.
  const { Readable } = process.getBuiltinModule('node:stream');
  let wanting = false;
  const fetch = (): void => {
    const bytes = native.takeOutput();
    wanting = bytes === null;
    if (bytes !== null) stream.push(bytes ?? null);
  };
  /** Nobody reads any more. The program must not wait for ever for somebody who does. */
  const dropAll = (): void => {
    for (let bytes = native.takeOutput(); bytes !== null && bytes !== undefined; ) bytes = native.takeOutput();
  };
  const stream = new Readable({
    highWaterMark: 64 * 1024,
    read: fetch,
    destroy(error, callback) {
      dropAll();
      callback(error);
    },
  });
  const grew = (): void => {
    if (stream.destroyed) dropAll();
    else if (wanting) fetch();
  };
  return { stream, grew };
}
